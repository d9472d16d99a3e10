locals {
  delayers = { for name, function in local.functions : name => function if function.delays }
}

# Holds what is to be published later, at its second. A task that is lost is healed by the tick.
resource "google_cloud_tasks_queue" "later" {
  project  = var.project
  location = var.region
  name     = "${var.name}-later"

  rate_limits {
    max_dispatches_per_second = 500 # the most there is
    max_concurrent_dispatches = 500
  }

  # Both limits must be reached before a task is given up. By then the tick has done its work.
  retry_config {
    max_attempts       = 5
    max_retry_duration = "300s"
    min_backoff        = "1s"
    max_backoff        = "60s"
    max_doublings      = 6
  }

  depends_on = [google_project_service.api]
}

resource "google_cloud_tasks_queue_iam_member" "enqueuer" {
  for_each = local.delayers

  project  = var.project
  location = google_cloud_tasks_queue.later.location
  name     = google_cloud_tasks_queue.later.name
  role     = "roles/cloudtasks.enqueuer"
  member   = "serviceAccount:${local.function_accounts[each.key]}"
}

# A task acts as the account below, so whoever makes one must be allowed to act as it.
resource "google_service_account_iam_member" "tasks_user" {
  for_each = local.delayers

  service_account_id = google_service_account.tasks.name
  role               = "roles/iam.serviceAccountUser"
  member             = "serviceAccount:${local.function_accounts[each.key]}"
}

# Any step may be put off: a start that CES refused for now, a poll, results that are not complete,
# an alert. Letters to the dead-letter topic are never.
resource "google_pubsub_topic_iam_member" "tasks" {
  for_each = setsubtract(local.topics, ["dead-letter"])

  project = var.project
  topic   = google_pubsub_topic.topic[each.key].name
  role    = "roles/pubsub.publisher"
  member  = "serviceAccount:${local.tasks_account}"
}
