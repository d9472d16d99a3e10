# The tick. One that fails is not repeated: the next one does its work.
resource "google_cloud_scheduler_job" "tick" {
  project          = var.project
  region           = var.region
  name             = "${var.name}-tick"
  description      = "Requests the runs that are due and rescues what is overdue"
  schedule         = "* * * * *"
  time_zone        = "Etc/UTC"
  attempt_deadline = "${local.functions.scheduler.timeout_seconds + local.ack_margin_seconds}s"

  retry_config {
    retry_count = 0
  }

  http_target {
    http_method = "POST"
    uri         = local.service_urls["scheduler"]

    oidc_token {
      service_account_email = local.tick_account
      audience              = local.service_urls["scheduler"]
    }
  }

  depends_on = [google_cloud_run_v2_service_iam_binding.invoker]
}
