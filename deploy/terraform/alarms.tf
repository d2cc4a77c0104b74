# Alarms when something fails. Those for what waits are in keep.tf.

locals {
  alarm = var.alarm_email == "" ? 0 : 1
}

resource "aws_sns_topic" "alarm" {
  count = local.alarm

  name = "${var.name}-alarm"
}

# SNS sends a link first, by which the address is confirmed.
resource "aws_sns_topic_subscription" "alarm" {
  count = length(aws_sns_topic.alarm)

  topic_arn = aws_sns_topic.alarm[0].arn
  protocol  = "email"
  endpoint  = var.alarm_email
}

# Visitors read that it failed: each may be a lead.
resource "aws_cloudwatch_metric_alarm" "failed" {
  count = local.alarm

  alarm_name          = "${var.name}-failed"
  alarm_description   = "Requests end with 5xx. The log says why."
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

# A function that is not made, or is stopped in the middle, says nothing in its own words.
resource "aws_cloudwatch_metric_alarm" "errors" {
  count = local.alarm

  alarm_name          = "${var.name}-errors"
  alarm_description   = "The function ends with errors. The log says why, such as start_failed."
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
  alarm_description   = "Lambda makes no more copies of the function; Service Quotas of the account say how many there may be."
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
  alarm_description   = "The function that delivers what is kept ends with errors. The log says why."
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
