output "configuration" {
  description = "Where the functions read evals.yaml."
  value       = local.fixed_environment.EVALS_CONFIG
}

output "dashboard_url" {
  description = "Address of the dashboard and of the API, for the members of dashboard_viewers."
  value       = local.dashboard_url
}

output "dead_letters" {
  description = "Subscription that holds what could not be used."
  value       = google_pubsub_subscription.dead_letters.name
}

output "service_accounts" {
  description = "Accounts of the functions, for grants outside of this deployment."
  value       = local.function_accounts
}

output "webhook_url" {
  description = "Where pipelines and GitHub send their signed requests."
  value       = "${local.service_urls["webhook"]}/webhook"
}
