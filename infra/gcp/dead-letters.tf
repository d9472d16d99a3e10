# Without a subscription a topic keeps nothing. This one is pulled by people and is the end of the
# line: it has no dead letters of its own.
resource "google_pubsub_subscription" "dead_letters" {
  project                    = var.project
  name                       = "${var.name}-dead-letters"
  topic                      = local.topic_ids["dead-letter"]
  ack_deadline_seconds       = 60
  message_retention_duration = "2678400s" # 31 days, the longest there is

  retry_policy {
    minimum_backoff = "10s"
    maximum_backoff = "600s"
  }

  expiration_policy {
    ttl = ""
  }
}
