mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project     = "acme-evals"
  source_dir  = "tests/sources"
  environment = { LOG_LEVEL = "debug" }
}

run "functions_are_what_they_were_tested_as" {
  command = plan

  assert {
    condition = alltrue([
      for name, function in google_cloudfunctions2_function.function :
      function.build_config[0].runtime == "nodejs24"
      && function.build_config[0].entry_point == name
      && function.name == "ces-evals-${name}"
    ])
    error_message = "The runtime is the tested one, and the entry point is the function's name."
  }

  assert {
    condition = alltrue([
      for function in google_cloudfunctions2_function.function :
      function.service_config[0].environment_variables == tomap({
        CES_MCP_URL           = "https://ces.googleapis.com/mcp"
        EVALS_CONFIG          = "gs://acme-evals-ces-evals-configuration/evals.yaml"
        FIRESTORE_DATABASE    = "ces-evals"
        GOOGLE_CLOUD_PROJECT  = "acme-evals"
        LOG_LEVEL             = "debug"
        NODE_ENV              = "production"
        PUBLIC_URL            = "https://ces-evals-dashboard-123456789012.us-central1.run.app"
        TASKS_LOCATION        = "us-central1"
        TASKS_QUEUE           = "ces-evals-later"
        TASKS_SERVICE_ACCOUNT = "ces-evals-tasks@acme-evals.iam.gserviceaccount.com"
        TOPIC_PREFIX          = "ces-evals-"
      })
    ])
    error_message = "The environment is that of the contract."
  }
}

run "functions_have_limits" {
  command = plan

  assert {
    condition = {
      for name, function in google_cloudfunctions2_function.function : name => join(" ", [
        function.service_config[0].available_memory,
        function.service_config[0].max_instance_count,
        function.service_config[0].max_instance_request_concurrency,
        function.service_config[0].timeout_seconds,
        function.service_config[0].ingress_settings,
      ])
      } == {
      scheduler = "512Mi 2 2 60 ALLOW_INTERNAL_ONLY"
      webhook   = "512Mi 5 40 30 ALLOW_ALL"
      starter   = "512Mi 20 20 90 ALLOW_INTERNAL_ONLY"
      poller    = "512Mi 20 40 90 ALLOW_INTERNAL_ONLY"
      sink      = "1Gi 20 8 300 ALLOW_INTERNAL_ONLY"
      notifier  = "512Mi 10 20 60 ALLOW_INTERNAL_ONLY"
      dashboard = "512Mi 5 40 75 ALLOW_ALL"
    }
    error_message = "Memory, instances, concurrency, timeout and ingress are set for each function."
  }
}

run "a_change_of_the_code_is_a_change_of_the_function" {
  command = plan

  assert {
    condition = alltrue([
      for name, object in google_storage_bucket_object.source :
      object.name == "${name}-${filemd5("tests/sources/${name}.zip")}.zip"
      && object.source == "tests/sources/${name}.zip"
    ])
    error_message = "The name of an archive holds its digest."
  }
}

run "a_missing_build_is_told" {
  command = plan

  variables {
    source_dir = "tests/no-such-folder"
  }

  expect_failures = [check.functions_are_built]
}
