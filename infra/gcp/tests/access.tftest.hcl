mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project           = "acme-evals"
  source_dir        = "tests/sources"
  dashboard_viewers = ["group:cx@acme.example"]
  environment       = { EMAIL_FROM = "evals@acme.example" }
  secrets = {
    API_TOKEN             = "api-token"
    GITHUB_WEBHOOK_SECRET = "github-webhook-secret"
    RELEASE_BOT_SECRET    = "release-bot"
    SLACK_BOT_TOKEN       = "slack-bot-token"
    SMTP_URL              = "smtp-url"
    WEBHOOK_SECRET        = "webhook-secret"
  }
}

run "only_the_webhook_is_public" {
  command = plan

  assert {
    condition = {
      for name, binding in google_cloud_run_v2_service_iam_binding.invoker :
      name => join(" ", concat([binding.role, binding.name], tolist(binding.members)))
      } == {
      scheduler = join(" ", [
        "roles/run.invoker ces-evals-scheduler",
        "serviceAccount:ces-evals-tick@acme-evals.iam.gserviceaccount.com",
      ])
      webhook = "roles/run.invoker ces-evals-webhook allUsers"
      starter = join(" ", [
        "roles/run.invoker ces-evals-starter",
        "serviceAccount:ces-evals-push-starter@acme-evals.iam.gserviceaccount.com",
      ])
      poller = join(" ", [
        "roles/run.invoker ces-evals-poller",
        "serviceAccount:ces-evals-push-poller@acme-evals.iam.gserviceaccount.com",
      ])
      sink = join(" ", [
        "roles/run.invoker ces-evals-sink",
        "serviceAccount:ces-evals-push-sink@acme-evals.iam.gserviceaccount.com",
      ])
      notifier = join(" ", [
        "roles/run.invoker ces-evals-notifier",
        "serviceAccount:ces-evals-push-notifier@acme-evals.iam.gserviceaccount.com",
      ])
      dashboard = "roles/run.invoker ces-evals-dashboard group:cx@acme.example"
    }
    error_message = "Every function has its one caller; the public calls the webhook only."
  }
}

run "without_viewers_nobody_calls_the_dashboard" {
  command = plan

  variables {
    dashboard_viewers = []
  }

  assert {
    condition     = !contains(keys(google_cloud_run_v2_service_iam_binding.invoker), "dashboard")
    error_message = "The dashboard is closed until somebody is named."
  }
}

run "one_account_per_function" {
  command = plan

  assert {
    condition = {
      for name, function in google_cloudfunctions2_function.function :
      name => function.service_config[0].service_account_email
      } == {
      for name in [
        "scheduler", "webhook", "starter", "poller", "sink", "notifier", "dashboard",
      ] : name => "ces-evals-${name}@acme-evals.iam.gserviceaccount.com"
    }
    error_message = "Each function runs as itself."
  }

  assert {
    condition = length(distinct([
      for account in concat(
        values(google_service_account.function),
        values(google_service_account.push),
        [
          google_service_account.builder,
          google_service_account.tasks,
          google_service_account.tick,
        ],
      ) : account.account_id
    ])) == 14
    error_message = "No two jobs share an account."
  }

  assert {
    condition = alltrue([
      for function in google_cloudfunctions2_function.function :
      length(function.event_trigger) == 0
    ])
    error_message = "Subscriptions are declared here, not made by triggers without dead letters."
  }
}

run "no_broad_role_is_given" {
  command = plan

  assert {
    condition = toset([
      for grant in concat(
        values(google_project_iam_member.builder),
        values(google_project_iam_member.ces),
        values(google_project_iam_member.database),
      ) : grant.role
      ]) == toset([
      "projects/acme-evals/roles/ces_evals_poller",
      "projects/acme-evals/roles/ces_evals_sink",
      "projects/acme-evals/roles/ces_evals_starter",
      "roles/datastore.user",
      "roles/datastore.viewer",
      "roles/logging.logWriter",
      "roles/mcp.toolUser",
      "roles/serviceusage.serviceUsageConsumer",
      "roles/storage.objectViewer",
    ])
    error_message = "A role of the project is new: is it the narrowest that does?"
  }

  assert {
    condition = alltrue([
      for grant in google_project_iam_member.database :
      grant.condition[0].expression
      == "resource.name == \"projects/acme-evals/databases/ces-evals\""
    ])
    error_message = "Roles at the database are for this database only."
  }

  assert {
    condition = (
      google_project_iam_member.builder["roles/storage.objectViewer"].condition[0].expression
      == "resource.name.startsWith(\"projects/_/buckets/gcf-v2-\")"
    )
    error_message = "Builds read the buckets of Cloud Functions only."
  }
}

run "who_may_write_to_the_database" {
  command = plan

  assert {
    condition = [
      for name, grant in google_project_iam_member.database :
      name if grant.role == "roles/datastore.viewer"
    ] == ["dashboard"]
    error_message = "The dashboard reads; all others write."
  }
}

run "who_may_publish_what" {
  command = plan

  assert {
    condition = keys(google_pubsub_topic_iam_member.publisher) == [
      "notifier alert-due",
      "notifier dead-letter",
      "poller dead-letter",
      "poller run-finished",
      "poller run-poll",
      "scheduler alert-due",
      "scheduler run-finished",
      "scheduler run-poll",
      "scheduler run-requested",
      "sink alert-due",
      "sink dead-letter",
      "sink run-finished",
      "starter alert-due",
      "starter dead-letter",
      "starter run-finished",
      "starter run-poll",
      "starter run-requested",
      "webhook run-requested",
    ]
    error_message = "Functions publish to the topics that their step leads to."
  }

  assert {
    condition = alltrue([
      for key, grant in google_pubsub_topic_iam_member.publisher :
      "${grant.role} ${grant.topic} ${grant.member}" == format(
        "roles/pubsub.publisher ces-evals-%s serviceAccount:ces-evals-%s@%s",
        split(" ", key)[1],
        split(" ", key)[0],
        "acme-evals.iam.gserviceaccount.com",
      )
    ])
    error_message = "Each grant is of the role, topic and function that its key says."
  }
}

run "who_may_call_ces" {
  command = plan

  assert {
    condition = {
      for key, grant in google_project_iam_member.ces : key => "${grant.role} ${grant.member}"
      } == merge([
        for name in ["starter", "poller", "sink"] : {
          for right, given in {
            quota = "roles/serviceusage.serviceUsageConsumer"
            runs  = "projects/acme-evals/roles/ces_evals_${name}"
            tools = "roles/mcp.toolUser"
            } : "${name} acme-evals ${right}" => join(" ", [
              given,
              "serviceAccount:ces-evals-${name}@acme-evals.iam.gserviceaccount.com",
          ])
        }
    ]...)
    error_message = "Starter, poller and sink call CES, and only the starter starts runs."
  }

  assert {
    condition = {
      for key, role in google_project_iam_custom_role.ces : key => sort(role.permissions)
      } == {
      "acme-evals poller" = tolist([
        "ces.evaluationRuns.get",
        "ces.evaluationRuns.list",
        "ces.operations.get",
      ])
      "acme-evals sink" = tolist([
        "ces.evaluationResults.get",
        "ces.evaluationResults.list",
      ])
      "acme-evals starter" = tolist([
        "ces.apps.runEvaluation",
        "ces.evaluationRuns.list",
      ])
    }
    error_message = "The roles at CES have the permissions of the calls that are made."
  }
}

run "apps_of_other_projects" {
  command = plan

  variables {
    ces_projects = ["acme-cx", "acme-cx-eu"]
    ces_roles    = { poller = "roles/ces.viewer", sink = "roles/ces.viewer" }
  }

  assert {
    condition = {
      for key, grant in google_project_iam_member.ces :
      key => "${grant.project} ${grant.role}" if endswith(key, " runs")
      } == {
      "poller acme-cx runs"     = "acme-cx roles/ces.viewer"
      "poller acme-cx-eu runs"  = "acme-cx-eu roles/ces.viewer"
      "sink acme-cx runs"       = "acme-cx roles/ces.viewer"
      "sink acme-cx-eu runs"    = "acme-cx-eu roles/ces.viewer"
      "starter acme-cx runs"    = "acme-cx projects/acme-cx/roles/ces_evals_starter"
      "starter acme-cx-eu runs" = "acme-cx-eu projects/acme-cx-eu/roles/ces_evals_starter"
    }
    error_message = "Roles at CES are given where the apps are."
  }

  assert {
    condition     = !contains(keys(google_project_service.api), "ces.googleapis.com")
    error_message = "Without an app here the API of CES is not needed here."
  }
}

run "who_may_read_which_secret" {
  command = plan

  assert {
    condition = {
      for name, grant in google_secret_manager_secret_iam_member.function :
      name => "${grant.role} ${grant.secret_id} ${grant.member}"
      } == {
      for name, reader in {
        API_TOKEN             = ["api-token", "dashboard"]
        GITHUB_WEBHOOK_SECRET = ["github-webhook-secret", "webhook"]
        RELEASE_BOT_SECRET    = ["release-bot", "notifier"]
        SLACK_BOT_TOKEN       = ["slack-bot-token", "notifier"]
        SMTP_URL              = ["smtp-url", "notifier"]
        WEBHOOK_SECRET        = ["webhook-secret", "webhook"]
        } : name => format(
        "roles/secretmanager.secretAccessor %s serviceAccount:ces-evals-%s@%s",
        reader[0],
        reader[1],
        "acme-evals.iam.gserviceaccount.com",
      )
    }
    error_message = "A secret is read by the one function that needs it."
  }

  assert {
    condition = {
      for name, function in google_cloudfunctions2_function.function : name => join(" ", [
        for secret in function.service_config[0].secret_environment_variables :
        "${secret.key}=${secret.secret}:${secret.version}"
      ])
      } == {
      scheduler = ""
      webhook = join(" ", [
        "GITHUB_WEBHOOK_SECRET=github-webhook-secret:latest",
        "WEBHOOK_SECRET=webhook-secret:latest",
      ])
      starter = ""
      poller  = ""
      sink    = ""
      notifier = join(" ", [
        "RELEASE_BOT_SECRET=release-bot:latest",
        "SLACK_BOT_TOKEN=slack-bot-token:latest",
        "SMTP_URL=smtp-url:latest",
      ])
      dashboard = "API_TOKEN=api-token:latest"
    }
    error_message = "Secrets come by reference, and only to the function that needs them."
  }
}

run "the_configuration_is_read_only" {
  command = plan

  assert {
    condition = (
      google_storage_bucket.configuration.versioning[0].enabled
      && google_storage_bucket.configuration.uniform_bucket_level_access
      && google_storage_bucket.configuration.public_access_prevention == "enforced"
    )
    error_message = "The bucket keeps old versions and is closed to the public."
  }

  assert {
    condition = alltrue([
      for grant in google_storage_bucket_iam_member.configuration :
      grant.role == "roles/storage.objectViewer"
    ])
    error_message = "Functions read the configuration and never write it."
  }
}
