locals {
  # The function that needs a secret. Any other secret belongs to a subscriber of the kind webhook.
  secret_owners = {
    API_TOKEN             = "dashboard"
    GITHUB_WEBHOOK_SECRET = "webhook"
    SLACK_BOT_TOKEN       = "notifier"
    SMTP_URL              = "notifier"
    WEBHOOK_SECRET        = "webhook"
  }

  secrets = {
    for name, id in var.secrets : name => {
      id       = id
      function = lookup(local.secret_owners, name, "notifier")
    }
  }
}

resource "google_secret_manager_secret_iam_member" "function" {
  for_each = local.secrets

  project   = var.project
  secret_id = each.value.id
  role      = "roles/secretmanager.secretAccessor"
  member    = "serviceAccount:${local.function_accounts[each.value.function]}"
}
