# The queue for forms with `keep`, and the function that delivers from it. See docs/keep.md.

locals {
  keep        = var.keep_queue ? 1 : 0
  keeps_files = var.keep_queue && var.keep_files_bucket != ""
  kept_files  = "arn:${local.partition}:s3:::${var.keep_files_bucket}/*kept-*"
}

# SQS deletes messages after 14 days, its maximum. Each attempt resets a message's age. Messages are limited
# to 256 KB, the maximum in version 5 of the provider.
resource "aws_sqs_queue" "kept" {
  count = local.keep

  name                      = "${var.name}-kept"
  message_retention_seconds = 1209600
  # Six times the function's time, as AWS advises.
  visibility_timeout_seconds = 720
  sqs_managed_sse_enabled    = true

  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.kept_aside[0].arn
    maxReceiveCount     = 20
  })
}

# Dead letters: deliveries that a retry would not help, or whose time for retries has run out.
resource "aws_sqs_queue" "kept_aside" {
  count = local.keep

  name                      = "${var.name}-kept-aside"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
}

# Delivers queued submissions when they are due.
resource "aws_lambda_function" "kept" {
  count = local.keep

  function_name    = "${var.name}-kept"
  description      = "Form Relay, queued deliveries"
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  handler          = "lambda.kept"
  runtime          = aws_lambda_function.relay.runtime
  architectures    = aws_lambda_function.relay.architectures
  memory_size      = aws_lambda_function.relay.memory_size
  # An attempt takes up to 24 s; none starts in the last 27.
  timeout = 120
  role    = aws_iam_role.kept[0].arn

  logging_config {
    log_group  = aws_cloudwatch_log_group.relay.name
    log_format = "Text"
  }

  environment {
    variables = local.environment
  }
}

resource "aws_lambda_event_source_mapping" "kept" {
  count = local.keep

  event_source_arn = aws_sqs_queue.kept[0].arn
  function_name    = aws_lambda_function.kept[0].arn
  batch_size       = 10
  # The function reports messages to keep; otherwise SQS would delete them.
  function_response_types = ["ReportBatchItemFailures"]

  # Limits concurrent deliveries, so that no server gets more than a few at a time.
  scaling_config {
    maximum_concurrency = 2
  }

  # AWS refuses it until the role may receive messages.
  depends_on = [aws_iam_role_policy.kept]
}

resource "aws_cloudwatch_metric_alarm" "kept_aside" {
  count = local.keep

  alarm_name          = "${var.name}-kept-aside"
  alarm_description   = "Dead letters need your attention. relay kept list shows the reasons; SQS deletes dead letters after 14 days."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = aws_sqs_queue.kept_aside[0].name }
  statistic           = "Maximum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = aws_sns_topic.alarm[*].arn
  ok_actions          = aws_sns_topic.alarm[*].arn
}

# Each attempt resets a message's age, so this is the delay before the next attempt; after four failures, the
# delay exceeds half an hour.
resource "aws_cloudwatch_metric_alarm" "kept_age" {
  count = local.keep

  alarm_name          = "${var.name}-kept-age"
  alarm_description   = "Deliveries have been failing for most of an hour. relay kept list shows the reasons."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateAgeOfOldestMessage"
  dimensions          = { QueueName = aws_sqs_queue.kept[0].name }
  statistic           = "Maximum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1800
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = aws_sns_topic.alarm[*].arn
  ok_actions          = aws_sns_topic.alarm[*].arn
}
