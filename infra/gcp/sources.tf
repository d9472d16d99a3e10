resource "google_storage_bucket" "sources" {
  project                     = var.project
  location                    = var.region
  name                        = "${var.project}-${var.name}-sources"
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true # npm run build makes what is in it

  depends_on = [google_project_service.api]
}

locals {
  archives = { for name in keys(local.functions) : name => "${var.source_dir}/${name}.zip" }
  unbuilt  = [for name, path in local.archives : name if !fileexists(path)]
}

# A plan may be looked at without a build; an apply fails at the upload.
check "functions_are_built" {
  assert {
    condition     = length(local.unbuilt) == 0
    error_message = "${var.source_dir} lacks ${join(", ", local.unbuilt)}: run npm run build."
  }
}

# The digest in the name makes a change of the code a change of the function, and nothing else does.
resource "google_storage_bucket_object" "source" {
  for_each = local.archives

  bucket = google_storage_bucket.sources.name
  name   = "${each.key}-${fileexists(each.value) ? filemd5(each.value) : "not-built"}.zip"
  source = each.value
}
