# `terraform test` (Terraform 1.7 or later): plans with a mocked AWS, so no account is needed.

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
    condition     = !contains(data.aws_iam_policy_document.common.statement[*].sid, "SendMail")
    error_message = "Without mail_from_address there must be no permission to send."
  }
}

run "counts_in_the_one_table" {
  command = plan

  variables {
    count_table = "places"
  }

  assert {
    condition = one([
      for rule in data.aws_iam_policy_document.relay.statement : endswith(one(rule.resources), ":table/places") if rule.sid == "Count"
    ])
    error_message = "The function must be allowed to count in count_table, and nowhere else."
  }

  assert {
    condition     = !contains(data.aws_iam_policy_document.common.statement[*].sid, "Count")
    error_message = "The function that delivers queued submissions must not count."
  }
}

run "counts_nowhere_without_a_table" {
  command = plan

  assert {
    condition     = !contains(data.aws_iam_policy_document.relay.statement[*].sid, "Count")
    error_message = "Without count_table there must be no permission for one."
  }
}

run "sends_mail_from_the_one_address" {
  command = plan

  variables {
    mail_from_address = "forms@example.com"
  }

  assert {
    condition = [
      for statement in data.aws_iam_policy_document.common.statement :
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

run "the_function_that_everybody_reaches_reads_nothing_that_is_kept" {
  command = plan

  variables {
    keep_queue        = true
    keep_files_bucket = "files-example"
  }

  assert {
    condition = toset(flatten(data.aws_iam_policy_document.relay.statement[*].actions)) == toset([
      "sqs:SendMessage", "sqs:GetQueueAttributes", "s3:PutObject",
    ])
    error_message = "Only what SQS calls may read and remove what is kept."
  }

  assert {
    condition = alltrue([
      for action in ["sqs:ReceiveMessage", "sqs:DeleteMessage", "s3:GetObject", "s3:DeleteObject"] :
      contains(flatten(data.aws_iam_policy_document.kept[0].statement[*].actions), action)
    ])
    error_message = "What SQS calls must read what is kept, and remove it."
  }
}

run "uses_no_keys_unless_they_are_named" {
  command = plan

  assert {
    condition     = toset(data.aws_iam_policy_document.common.statement[*].sid) == toset(["WriteLog", "ReadConfig"])
    error_message = "Without kms_key_arns there must be no permission for any."
  }
}

run "uses_the_named_keys" {
  command = plan

  variables {
    kms_key_arns      = ["arn:aws:kms:eu-central-1:111122223333:key/1"]
    keep_queue        = true
    keep_files_bucket = "files-example"
  }

  assert {
    condition = {
      for statement in data.aws_iam_policy_document.common.statement :
      statement.sid => tolist(statement.resources) if contains(["Decrypt", "EncryptFiles"], statement.sid)
      } == {
      Decrypt      = tolist(["arn:aws:kms:eu-central-1:111122223333:key/1"])
      EncryptFiles = tolist(["arn:aws:kms:eu-central-1:111122223333:key/1"])
    }
    error_message = "The permissions must be for what is named alone."
  }
}

run "refuses_an_arn_as_a_secret" {
  command = plan

  variables {
    form_token_secret = "arn:aws:ssm:eu-central-1:111122223333:parameter/forms/token"
  }

  expect_failures = [var.form_token_secret]
}

run "logs_no_query_and_no_address" {
  command = plan

  assert {
    condition = length(regexall(
      "query|rawPath|sourceIp|userAgent|\\$context.path[A-Z]", aws_apigatewayv2_stage.default.access_log_settings[0].format,
    )) == 0
    error_message = "The access log must hold nothing of a visitor."
  }
}

run "logs_no_access_where_it_is_not_wanted" {
  command = plan

  variables {
    access_log = false
  }

  assert {
    condition     = length(aws_apigatewayv2_stage.default.access_log_settings) + length(aws_cloudwatch_log_group.access) == 0
    error_message = "Without access_log there must be none."
  }
}

run "tells_nobody_without_an_address" {
  command = plan

  assert {
    condition = (
      length(aws_cloudwatch_metric_alarm.failed) + length(aws_cloudwatch_metric_alarm.errors) +
      length(aws_cloudwatch_metric_alarm.throttled) + length(aws_sns_topic.alarm) == 0
    )
    error_message = "Without alarm_email there must be no alarm."
  }
}

run "tells_of_failures" {
  command = plan

  variables {
    alarm_email = "you@example.com"
    keep_queue  = true
  }

  assert {
    condition = (
      length(aws_cloudwatch_metric_alarm.failed) + length(aws_cloudwatch_metric_alarm.errors) +
      length(aws_cloudwatch_metric_alarm.throttled) + length(aws_cloudwatch_metric_alarm.kept_errors) == 4
    )
    error_message = "alarm_email must be told."
  }
}
