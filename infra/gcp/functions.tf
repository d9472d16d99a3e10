locals {
  # In the order in which a run meets them. What a function may do follows from this table:
  #   topic       it is pushed the messages of this topic; null = it is called over HTTP
  #   publishes   topics that it sends messages to at once
  #   delays      it makes tasks that send a message later
  #   ces         it calls CES, with a role of its own
  #   database    its role at the database
  # A step makes two calls of 15 s to CES, or three of 10 s to a provider of alerts, and some to the
  # store. Only the sink fetches results by the hundred, and only the dashboard waits (?wait=50s).
  functions = {
    scheduler = {
      topic           = null
      publishes       = ["run-requested", "run-poll", "run-finished", "alert-due"]
      delays          = false
      ces             = false
      database        = "roles/datastore.user"
      memory          = "512Mi"
      concurrency     = 2
      max_instances   = 2
      timeout_seconds = 60
      ingress         = "ALLOW_INTERNAL_ONLY"
    }
    webhook = {
      topic           = null
      publishes       = ["run-requested"]
      delays          = false
      ces             = false
      database        = "roles/datastore.user"
      memory          = "512Mi"
      concurrency     = 40
      max_instances   = 5
      timeout_seconds = 30
      ingress         = "ALLOW_ALL"
    }
    starter = {
      topic           = "run-requested"
      publishes       = ["run-requested", "run-poll", "run-finished", "alert-due", "dead-letter"]
      delays          = true
      ces             = true
      database        = "roles/datastore.user"
      memory          = "512Mi"
      concurrency     = 20
      max_instances   = 20
      timeout_seconds = 90
      ingress         = "ALLOW_INTERNAL_ONLY"
    }
    poller = {
      topic           = "run-poll"
      publishes       = ["run-poll", "run-finished", "dead-letter"]
      delays          = true
      ces             = true
      database        = "roles/datastore.user"
      memory          = "512Mi"
      concurrency     = 40
      max_instances   = 20
      timeout_seconds = 90
      ingress         = "ALLOW_INTERNAL_ONLY"
    }
    sink = {
      topic           = "run-finished"
      publishes       = ["run-finished", "alert-due", "dead-letter"]
      delays          = true
      ces             = true
      database        = "roles/datastore.user"
      memory          = "1Gi"
      concurrency     = 8
      max_instances   = 20
      timeout_seconds = 300
      ingress         = "ALLOW_INTERNAL_ONLY"
    }
    notifier = {
      topic           = "alert-due"
      publishes       = ["alert-due", "dead-letter"]
      delays          = true
      ces             = false
      database        = "roles/datastore.user"
      memory          = "512Mi"
      concurrency     = 20
      max_instances   = 10
      timeout_seconds = 60
      ingress         = "ALLOW_INTERNAL_ONLY"
    }
    dashboard = {
      topic           = null
      publishes       = []
      delays          = false
      ces             = false
      database        = "roles/datastore.viewer"
      memory          = "512Mi"
      concurrency     = 40
      max_instances   = 5
      timeout_seconds = 75
      ingress         = "ALLOW_ALL"
    }
  }

  subscribed = {
    for name, function in local.functions : name => function if function.topic != null
  }
}

resource "google_cloudfunctions2_function" "function" {
  for_each = local.functions

  project  = var.project
  location = var.region
  name     = "${var.name}-${each.key}"

  build_config {
    runtime           = "nodejs24"
    entry_point       = each.key
    service_account   = google_service_account.builder.id
    docker_repository = google_artifact_registry_repository.images.id

    source {
      storage_source {
        bucket = google_storage_bucket.sources.name
        object = google_storage_bucket_object.source[each.key].name
      }
    }
  }

  service_config {
    service_account_email            = local.function_accounts[each.key]
    environment_variables            = local.environment
    available_cpu                    = "1" # with less an instance takes one request at a time
    available_memory                 = each.value.memory
    max_instance_count               = each.value.max_instances
    max_instance_request_concurrency = each.value.concurrency
    timeout_seconds                  = each.value.timeout_seconds
    ingress_settings                 = each.value.ingress
    all_traffic_on_latest_revision   = true

    dynamic "secret_environment_variables" {
      for_each = {
        for name, secret in local.secrets : name => secret if secret.function == each.key
      }

      content {
        project_id = var.project
        key        = secret_environment_variables.key
        secret     = secret_environment_variables.value.id
        version    = "latest"
      }
    }
  }

  # Whoever may not read its secrets and its configuration fails to start.
  depends_on = [
    google_artifact_registry_repository_iam_member.builder,
    google_project_iam_member.builder,
    google_secret_manager_secret_iam_member.function,
    google_storage_bucket_iam_member.configuration,
    google_storage_bucket_iam_member.sources,
  ]
}
