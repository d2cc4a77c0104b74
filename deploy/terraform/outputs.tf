output "url" {
  description = "The relay's address."
  value       = aws_apigatewayv2_api.relay.api_endpoint
}

output "log_group" {
  description = "Where the log is."
  value       = aws_cloudwatch_log_group.relay.name
}
