locals {
  # Written out, so that a plan shows who is given what.
  account_domain = "${var.project}.iam.gserviceaccount.com"

  function_accounts = {
    for name, account in google_service_account.function :
    name => "${account.account_id}@${local.account_domain}"
  }
  push_accounts = {
    for name, account in google_service_account.push :
    name => "${account.account_id}@${local.account_domain}"
  }
  builder_account = "${google_service_account.builder.account_id}@${local.account_domain}"
  tasks_account   = "${google_service_account.tasks.account_id}@${local.account_domain}"
  tick_account    = "${google_service_account.tick.account_id}@${local.account_domain}"
}

# What a function may do, it may do as itself.
resource "google_service_account" "function" {
  for_each = local.functions

  project      = var.project
  account_id   = "${var.name}-${each.key}"
  display_name = "${var.name}: the function ${each.key}"

  depends_on = [google_project_service.api]
}

# Each pushes to one function only.
resource "google_service_account" "push" {
  for_each = local.subscribed

  project      = var.project
  account_id   = "${var.name}-push-${each.key}"
  display_name = "${var.name}: pushes messages to ${each.key}"

  depends_on = [google_project_service.api]
}

resource "google_service_account" "tick" {
  project      = var.project
  account_id   = "${var.name}-tick"
  display_name = "${var.name}: calls the scheduler each minute"

  depends_on = [google_project_service.api]
}

resource "google_service_account" "tasks" {
  project      = var.project
  account_id   = "${var.name}-tasks"
  display_name = "${var.name}: publishes messages when their time has come"

  depends_on = [google_project_service.api]
}

resource "google_service_account" "builder" {
  project      = var.project
  account_id   = "${var.name}-builder"
  display_name = "${var.name}: builds the functions"

  depends_on = [google_project_service.api]
}
