# Builds run as an account of their own: the default one of new projects may not build, and that of
# old projects may do anything.

resource "google_artifact_registry_repository" "images" {
  project       = var.project
  location      = var.region
  repository_id = var.name
  format        = "DOCKER"
  description   = "Images of the functions of ${var.name}"

  cleanup_policies {
    id     = "keep-the-newest"
    action = "KEEP"

    most_recent_versions {
      keep_count = 5
    }
  }

  cleanup_policies {
    id     = "delete-the-old"
    action = "DELETE"

    condition {
      older_than = "2592000s" # 30 days
    }
  }

  depends_on = [google_project_service.api]
}

resource "google_artifact_registry_repository_iam_member" "builder" {
  project    = var.project
  location   = google_artifact_registry_repository.images.location
  repository = google_artifact_registry_repository.images.name
  role       = "roles/artifactregistry.writer"
  member     = "serviceAccount:${local.builder_account}"
}

resource "google_storage_bucket_iam_member" "sources" {
  bucket = google_storage_bucket.sources.name
  role   = "roles/storage.objectViewer"
  member = "serviceAccount:${local.builder_account}"
}

locals {
  # https://cloud.google.com/functions/docs/securing/build-custom-sa says what a build needs.
  builder_roles = {
    "roles/logging.logWriter" = null
    # Cloud Functions copies the source into a bucket of its own, and the build reads it there.
    "roles/storage.objectViewer" = "resource.name.startsWith(\"projects/_/buckets/gcf-v2-\")"
  }
}

resource "google_project_iam_member" "builder" {
  for_each = local.builder_roles

  project = var.project
  role    = each.key
  member  = "serviceAccount:${local.builder_account}"

  dynamic "condition" {
    for_each = each.value == null ? {} : { expression = each.value }

    content {
      title      = "${var.name}: sources of functions"
      expression = condition.value
    }
  }
}
