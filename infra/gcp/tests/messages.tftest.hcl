mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project    = "acme-evals"
  source_dir = "tests/sources"
}

run "every_topic_is_there" {
  command = plan

  assert {
    condition = { for key, topic in google_pubsub_topic.topic : key => topic.name } == {
      alert-due     = "ces-evals-alert-due"
      dead-letter   = "ces-evals-dead-letter"
      run-finished  = "ces-evals-run-finished"
      run-poll      = "ces-evals-run-poll"
      run-requested = "ces-evals-run-requested"
    }
    error_message = "The topics are the four of the contract and the one for dead letters."
  }
}

run "every_message_reaches_its_function" {
  command = plan

  assert {
    condition = {
      for name, subscription in google_pubsub_subscription.push :
      name => [subscription.topic, subscription.push_config[0].push_endpoint]
      } == {
      starter = [
        "projects/acme-evals/topics/ces-evals-run-requested",
        "https://starter.example/projects/acme-evals/topics/ces-evals-run-requested",
      ]
      poller = [
        "projects/acme-evals/topics/ces-evals-run-poll",
        "https://poller.example/projects/acme-evals/topics/ces-evals-run-poll",
      ]
      sink = [
        "projects/acme-evals/topics/ces-evals-run-finished",
        "https://sink.example/projects/acme-evals/topics/ces-evals-run-finished",
      ]
      notifier = [
        "projects/acme-evals/topics/ces-evals-alert-due",
        "https://notifier.example/projects/acme-evals/topics/ces-evals-alert-due",
      ]
    }
    error_message = "Each function is pushed its topic, under a path that names the topic."
  }

  assert {
    condition = {
      for name, subscription in google_pubsub_subscription.push :
      name => subscription.push_config[0].oidc_token
      } == {
      for name in ["starter", "poller", "sink", "notifier"] : name => tolist([{
        audience              = "https://${name}.example"
        service_account_email = "ces-evals-push-${name}@acme-evals.iam.gserviceaccount.com"
      }])
    }
    error_message = "Each push carries a token of an account of its own, for its function."
  }
}

run "no_message_is_lost" {
  command = plan

  assert {
    condition = alltrue([
      for subscription in concat(
        values(google_pubsub_subscription.push),
        [google_pubsub_subscription.dead_letters],
      ) :
      subscription.retry_policy[0].minimum_backoff == "10s"
      && subscription.retry_policy[0].maximum_backoff == "600s"
      && subscription.expiration_policy[0].ttl == ""
    ])
    error_message = "Every subscription backs off from 10 s to 600 s and never expires."
  }

  assert {
    condition = alltrue([
      for subscription in values(google_pubsub_subscription.push) :
      subscription.dead_letter_policy[0].dead_letter_topic
      == "projects/acme-evals/topics/ces-evals-dead-letter"
      && subscription.dead_letter_policy[0].max_delivery_attempts >= 5
      && subscription.dead_letter_policy[0].max_delivery_attempts <= 100
      && subscription.message_retention_duration == "604800s"
    ])
    error_message = "Every push ends in the dead-letter topic after 5 to 100 attempts."
  }

  assert {
    condition = (
      google_pubsub_subscription.dead_letters.topic
      == "projects/acme-evals/topics/ces-evals-dead-letter"
      && length(google_pubsub_subscription.dead_letters.push_config) == 0
      && google_pubsub_subscription.dead_letters.message_retention_duration == "2678400s"
    )
    error_message = "What is dead-lettered waits a month for somebody to pull it."
  }

  assert {
    condition = alltrue([
      for name, subscription in google_pubsub_subscription.push :
      subscription.ack_deadline_seconds <= 600
      && subscription.ack_deadline_seconds
      > google_cloudfunctions2_function.function[name].service_config[0].timeout_seconds
    ])
    error_message = "A function is cut off before Pub/Sub sends its message again, 600 s at most."
  }
}

run "pubsub_may_push_and_dead_letter" {
  command = plan

  assert {
    condition = alltrue([
      for grant in concat(
        values(google_pubsub_subscription_iam_member.dead_letters),
        values(google_service_account_iam_member.push_token),
        [google_pubsub_topic_iam_member.dead_letters],
      ) :
      grant.member
      == "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com"
    ])
    error_message = "The service agent of Pub/Sub takes, publishes and signs."
  }

  assert {
    condition = {
      for name, grant in google_pubsub_subscription_iam_member.dead_letters :
      name => "${grant.role} ${grant.subscription}"
      } == {
      for name in ["starter", "poller", "sink", "notifier"] :
      name => "roles/pubsub.subscriber ces-evals-${name}"
    }
    error_message = "Pub/Sub may take dead letters from each subscription."
  }

  assert {
    condition = (
      google_pubsub_topic_iam_member.dead_letters.role == "roles/pubsub.publisher"
      && google_pubsub_topic_iam_member.dead_letters.topic == "ces-evals-dead-letter"
    )
    error_message = "Pub/Sub may publish dead letters."
  }

  assert {
    condition = alltrue([
      for name in ["starter", "poller", "sink", "notifier"] :
      google_service_account_iam_member.push_token[name].role
      == "roles/iam.serviceAccountTokenCreator"
    ])
    error_message = "Pub/Sub may make the tokens of each push."
  }
}

run "later_messages_go_through_the_queue" {
  command = plan

  assert {
    condition = (
      google_cloud_tasks_queue.later.rate_limits[0].max_dispatches_per_second == 500
      && google_cloud_tasks_queue.later.retry_config[0].max_attempts == 5
      && google_cloud_tasks_queue.later.retry_config[0].min_backoff == "1s"
      && google_cloud_tasks_queue.later.retry_config[0].max_backoff == "60s"
    )
    error_message = "The queue has its limits and tries again."
  }

  assert {
    condition = toset([
      for grant in google_pubsub_topic_iam_member.tasks :
      "${grant.role} ${grant.topic} ${grant.member}"
      ]) == toset([
      for topic in ["alert-due", "run-finished", "run-poll", "run-requested"] :
      join(" ", [
        "roles/pubsub.publisher",
        "ces-evals-${topic}",
        "serviceAccount:ces-evals-tasks@acme-evals.iam.gserviceaccount.com",
      ])
    ])
    error_message = "Tasks publish whatever may be put off, and no dead letters."
  }

  assert {
    condition = (
      keys(google_cloud_tasks_queue_iam_member.enqueuer)
      == ["notifier", "poller", "sink", "starter"]
      && keys(google_service_account_iam_member.tasks_user)
      == ["notifier", "poller", "sink", "starter"]
    )
    error_message = "Functions that put a step off make tasks, in the name of their account."
  }
}

run "the_tick_comes_each_minute" {
  command = plan

  assert {
    condition = (
      google_cloud_scheduler_job.tick.schedule == "* * * * *"
      && google_cloud_scheduler_job.tick.http_target[0].http_method == "POST"
      && google_cloud_scheduler_job.tick.http_target[0].uri == "https://scheduler.example"
      && google_cloud_scheduler_job.tick.http_target[0].oidc_token == tolist([{
        audience              = "https://scheduler.example"
        service_account_email = "ces-evals-tick@acme-evals.iam.gserviceaccount.com"
      }])
    )
    error_message = "Each minute the scheduler is called with a token of the tick's own account."
  }

  assert {
    condition = (
      tonumber(trimsuffix(google_cloud_scheduler_job.tick.attempt_deadline, "s"))
      > google_cloudfunctions2_function.function["scheduler"].service_config[0].timeout_seconds
    )
    error_message = "The scheduler is cut off before Cloud Scheduler gives the tick up."
  }
}
