# Alarms for failures. Alarms for the queue are in keep.tf.

locals {
  alarm = var.alarm_email == "" ? 0 : 1
}

resource "aws_sns_topic" "alarm" {
  count = local.alarm

  name = "${var.name}-alarm"
}

# SNS first sends a link that confirms the address.
resource "aws_sns_topic_subscription" "alarm" {
  count = length(aws_sns_topic.alarm)

  topic_arn = aws_sns_topic.alarm[0].arn
  protocol  = "email"
  endpoint  = var.alarm_email
}

# Visitors read that the submission failed: each may be a lead.
resource "aws_cloudwatch_metric_alarm" "failed" {
  count = local.alarm

  alarm_name          = "${var.name}-failed"
  alarm_description   = "Requests fail with status 5xx. The log has the reason."
  namespace           = "AWS/ApiGateway"
  metric_name         = "5xx"
  dimensions          = { ApiId = aws_apigatewayv2_api.relay.id }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = aws_sns_topic.alarm[*].arn
  ok_actions          = aws_sns_topic.alarm[*].arn
}

# A function that cannot start, or is stopped in the middle, writes nothing to its own log.
resource "aws_cloudwatch_metric_alarm" "errors" {
  count = local.alarm

  alarm_name          = "${var.name}-errors"
  alarm_description   = "The function fails with errors. The log has the reason, such as start_failed."
  namespace           = "AWS/Lambda"
  metric_name         = "Errors"
  dimensions          = { FunctionName = aws_lambda_function.relay.function_name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = aws_sns_topic.alarm[*].arn
  ok_actions          = aws_sns_topic.alarm[*].arn
}

resource "aws_cloudwatch_metric_alarm" "throttled" {
  count = local.alarm

  alarm_name          = "${var.name}-throttled"
  alarm_description   = "Lambda cannot start more copies of the function; see the limit of the account under Service Quotas."
  namespace           = "AWS/Lambda"
  metric_name         = "Throttles"
  dimensions          = { FunctionName = aws_lambda_function.relay.function_name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = aws_sns_topic.alarm[*].arn
  ok_actions          = aws_sns_topic.alarm[*].arn
}

resource "aws_cloudwatch_metric_alarm" "kept_errors" {
  count = var.keep_queue ? local.alarm : 0

  alarm_name          = "${var.name}-kept-errors"
  alarm_description   = "The function that retries queued deliveries fails with errors. The log has the reason."
  namespace           = "AWS/Lambda"
  metric_name         = "Errors"
  dimensions          = { FunctionName = aws_lambda_function.kept[0].function_name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = aws_sns_topic.alarm[*].arn
  ok_actions          = aws_sns_topic.alarm[*].arn
}
