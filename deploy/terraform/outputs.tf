output "url" {
  description = "The relay's address."
  value       = aws_apigatewayv2_api.relay.api_endpoint
}

output "keep_in" {
  description = "The value for keep.in of the config."
  value       = var.keep_queue ? replace(aws_sqs_queue.kept[0].url, "https:", "sqs:") : null
}

output "log_group" {
  description = "Log group of the function."
  value       = aws_cloudwatch_log_group.relay.name
}

output "access_log_group" {
  description = "Log group in which API Gateway logs each request."
  value       = var.access_log ? aws_cloudwatch_log_group.access[0].name : null
}
