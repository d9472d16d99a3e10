locals {
  # Who may call which function. Others are turned away before the function sees them; the webhook
  # checks the signature of each request itself.
  invokers = merge(
    { for name, account in local.push_accounts : name => ["serviceAccount:${account}"] },
    {
      scheduler = ["serviceAccount:${local.tick_account}"]
      webhook   = ["allUsers"]
    },
    length(var.dashboard_viewers) == 0 ? {} : { dashboard = sort(var.dashboard_viewers) },
  )
}

# A binding and not members: an invoker that was added by hand is gone after the next apply.
resource "google_cloud_run_v2_service_iam_binding" "invoker" {
  for_each = local.invokers

  project  = var.project
  location = var.region
  name     = google_cloudfunctions2_function.function[each.key].name
  role     = "roles/run.invoker"
  members  = each.value
}
