locals {
  # Pub/Sub takes a push that was not answered by the ack deadline for lost and sends it again, so a
  # function must be cut off before. 600 s is the longest deadline there is.
  ack_margin_seconds = 30

  # With the backoff below, about an hour. The tick goes on with the run meanwhile and afterwards.
  delivery_attempts = 12

  service_urls = {
    for name, function in google_cloudfunctions2_function.function :
    name => function.service_config[0].uri
  }

  pubsub_agent = format(
    "serviceAccount:service-%s@gcp-sa-pubsub.iam.gserviceaccount.com",
    data.google_project.this.number,
  )
}

resource "google_pubsub_subscription" "push" {
  for_each = local.subscribed

  project                    = var.project
  name                       = "${var.name}-${each.key}"
  topic                      = local.topic_ids[each.value.topic]
  ack_deadline_seconds       = each.value.timeout_seconds + local.ack_margin_seconds
  message_retention_duration = "604800s" # 7 days

  push_config {
    # The functions framework takes the topic from the path.
    push_endpoint = join("/", [
      local.service_urls[each.key],
      local.topic_ids[each.value.topic],
    ])

    oidc_token {
      service_account_email = local.push_accounts[each.key]
      audience              = local.service_urls[each.key]
    }
  }

  retry_policy {
    minimum_backoff = "10s"
    maximum_backoff = "600s"
  }

  dead_letter_policy {
    dead_letter_topic     = local.topic_ids["dead-letter"]
    max_delivery_attempts = local.delivery_attempts
  }

  # Never, or a quiet month would end the pipeline.
  expiration_policy {
    ttl = ""
  }

  # Before it may call the function, a push is a failure that counts.
  depends_on = [
    google_cloud_run_v2_service_iam_binding.invoker,
    google_service_account_iam_member.push_token,
  ]
}

# Pub/Sub makes the tokens of the pushes.
resource "google_service_account_iam_member" "push_token" {
  for_each = local.subscribed

  service_account_id = google_service_account.push[each.key].name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.pubsub_agent
}

# To dead-letter a message, Pub/Sub takes it from the subscription and publishes it again.
resource "google_pubsub_subscription_iam_member" "dead_letters" {
  for_each = local.subscribed

  project      = var.project
  subscription = google_pubsub_subscription.push[each.key].name
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}

resource "google_pubsub_topic_iam_member" "dead_letters" {
  project = var.project
  topic   = google_pubsub_topic.topic["dead-letter"].name
  role    = "roles/pubsub.publisher"
  member  = local.pubsub_agent
}
