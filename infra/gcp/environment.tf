locals {
  settable_environment = [
    "CES_QUOTA_PROJECT",
    "EMAIL_FROM",
    "LOG_LEVEL",
    "POLL_MAX",
    "POLL_MIN",
    "SLACK_API_URL",
  ]

  fixed_environment = {
    CES_MCP_URL           = var.ces_mcp_url
    EVALS_CONFIG          = "gs://${local.configuration_bucket}/evals.yaml"
    FIRESTORE_DATABASE    = var.name
    GOOGLE_CLOUD_PROJECT  = var.project
    NODE_ENV              = "production"
    PUBLIC_URL            = local.dashboard_url
    TASKS_LOCATION        = var.region
    TASKS_QUEUE           = google_cloud_tasks_queue.later.name
    TASKS_SERVICE_ACCOUNT = local.tasks_account
    TOPIC_PREFIX          = local.topic_prefix
  }

  environment          = merge(var.environment, local.fixed_environment)
  reserved_environment = concat(local.settable_environment, keys(local.fixed_environment))

  # Without its info lines the alert about silence would see nothing but silence.
  log_levels = ["debug", "info"]

  # A function cannot ask for the address of another one of the same resource. Cloud Run gives each
  # service a second address that can be foreseen.
  dashboard_url = format(
    "https://%s-dashboard-%s.%s.run.app",
    var.name,
    data.google_project.this.number,
    var.region,
  )
}
