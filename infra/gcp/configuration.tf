locals {
  configuration_bucket = "${var.project}-${var.name}-configuration"
}

# Holds evals.yaml, and with versioning every evals.yaml that there ever was.
resource "google_storage_bucket" "configuration" {
  project                     = var.project
  location                    = var.region
  name                        = local.configuration_bucket
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !var.delete_protection

  versioning {
    enabled = true
  }

  depends_on = [google_project_service.api]
}

# Functions read it. To write it is given to nobody here.
resource "google_storage_bucket_iam_member" "configuration" {
  for_each = local.functions

  bucket = google_storage_bucket.configuration.name
  role   = "roles/storage.objectViewer"
  member = "serviceAccount:${local.function_accounts[each.key]}"
}
