# `terraform test` (Terraform 1.7 or later): plans against a mocked AWS, so it needs no account.

mock_provider "aws" {
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
}

variables {
  package       = "tests/relay.tftest.hcl" # any file will do
  config_bucket = "forms-example"
}

run "sets_both_throttle_limits" {
  command = plan

  assert {
    condition = (
      aws_apigatewayv2_stage.default.default_route_settings[0].throttling_rate_limit == 10 &&
      aws_apigatewayv2_stage.default.default_route_settings[0].throttling_burst_limit == 20
    )
    error_message = "A limit that is not set counts as 0."
  }
}

run "may_send_mail_only_with_a_sender" {
  command = plan

  assert {
    condition     = !contains(data.aws_iam_policy_document.relay.statement[*].sid, "SendMail")
    error_message = "Without mail_from_address there must be no permission to send."
  }
}

run "sends_mail_from_the_one_address" {
  command = plan

  variables {
    mail_from_address = "forms@example.com"
  }

  assert {
    condition = [
      for statement in data.aws_iam_policy_document.relay.statement :
      flatten([for condition in statement.condition : tolist(condition.values)]) if statement.sid == "SendMail"
    ] == [["forms@example.com"]]
    error_message = "The permission to send must be bound to mail_from_address."
  }
}

run "refuses_to_deploy_without_a_config" {
  command = plan

  variables {
    config_bucket = ""
  }

  expect_failures = [aws_lambda_function.relay]
}

run "keeps_nothing_unless_it_is_told_to" {
  command = plan

  assert {
    condition = (
      length(aws_sqs_queue.kept) + length(aws_lambda_function.kept) == 0 &&
      !contains(data.aws_iam_policy_document.relay.statement[*].sid, "Keep")
    )
    error_message = "Without keep_queue there must be no queue, and no permission for one."
  }
}

run "keeps_in_a_queue" {
  command = plan

  variables {
    keep_queue = true
  }

  assert {
    condition = (
      aws_sqs_queue.kept[0].message_retention_seconds == 1209600 &&
      aws_sqs_queue.kept_aside[0].message_retention_seconds == 1209600
    )
    error_message = "SQS must hold what is kept for as long as it can."
  }

  assert {
    condition     = aws_sqs_queue.kept[0].visibility_timeout_seconds >= 6 * aws_lambda_function.kept[0].timeout
    error_message = "A message must stay hidden for as long as a function may have it."
  }

  assert {
    condition     = aws_lambda_event_source_mapping.kept[0].function_response_types == toset(["ReportBatchItemFailures"])
    error_message = "Without batch answers, SQS deletes what is not delivered."
  }

  assert {
    condition     = !contains(data.aws_iam_policy_document.relay.statement[*].sid, "KeepFiles")
    error_message = "Without keep_files_bucket there must be no permission for one."
  }
}
