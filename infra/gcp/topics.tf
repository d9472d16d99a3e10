locals {
  topic_prefix = "${var.name}-"
  topics       = toset(["alert-due", "dead-letter", "run-finished", "run-poll", "run-requested"])

  topic_ids = {
    for key, topic in google_pubsub_topic.topic :
    key => "projects/${topic.project}/topics/${topic.name}"
  }

  publishers = merge([
    for name, function in local.functions : {
      for topic in function.publishes : "${name} ${topic}" => { function = name, topic = topic }
    }
  ]...)
}

resource "google_pubsub_topic" "topic" {
  for_each = local.topics

  project = var.project
  name    = "${local.topic_prefix}${each.key}"

  depends_on = [google_project_service.api]
}

resource "google_pubsub_topic_iam_member" "publisher" {
  for_each = local.publishers

  project = var.project
  topic   = google_pubsub_topic.topic[each.value.topic].name
  role    = "roles/pubsub.publisher"
  member  = "serviceAccount:${local.function_accounts[each.value.function]}"
}
