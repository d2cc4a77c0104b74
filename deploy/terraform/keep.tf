# The queue for forms with `keep`, and what delivers out of it. docs/keep.md says how it works.

locals {
  keep        = var.keep_queue ? 1 : 0
  keeps_files = var.keep_queue && var.keep_files_bucket != ""
  kept_files  = "arn:${local.partition}:s3:::${var.keep_files_bucket}/*kept-*"
}

# SQS deletes what is older than 14 days, and knows no longer time. Each try makes a message young again. Messages have
# 256 KB: version 5 of the provider knows no more.
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

# Deliveries that wait for their owner: time does not cure them, or their time is over.
resource "aws_sqs_queue" "kept_aside" {
  count = local.keep

  name                      = "${var.name}-kept-aside"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
}

# Delivers what is kept, when it is due.
resource "aws_lambda_function" "kept" {
  count = local.keep

  function_name    = "${var.name}-kept"
  description      = "Form Relay, kept deliveries"
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  handler          = "lambda.kept"
  runtime          = aws_lambda_function.relay.runtime
  architectures    = aws_lambda_function.relay.architectures
  memory_size      = aws_lambda_function.relay.memory_size
  # A try takes up to 24 s; none is begun in the last 27.
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
  # Messages that are to stay are said; without this, SQS would delete them.
  function_response_types = ["ReportBatchItemFailures"]

  # No server gets more than a few deliveries at a time.
  scaling_config {
    maximum_concurrency = 2
  }

  # It is refused as long as the role may not receive.
  depends_on = [aws_iam_role_policy.kept]
}

resource "aws_cloudwatch_metric_alarm" "kept_aside" {
  count = local.keep

  alarm_name          = "${var.name}-kept-aside"
  alarm_description   = "Deliveries wait for you. relay kept list says why; SQS deletes them after 14 days."
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

# Each try makes a message young again, so that this is how long the next one is away: half an hour of it comes after
# four failures.
resource "aws_cloudwatch_metric_alarm" "kept_age" {
  count = local.keep

  alarm_name          = "${var.name}-kept-age"
  alarm_description   = "Deliveries have been failing for most of an hour. relay kept list says why."
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
