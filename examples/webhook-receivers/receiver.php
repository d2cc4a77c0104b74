<?php
$key = base64_decode(str_replace('whsec_', '', (string) getenv('WEBHOOK_SECRET')));
if (strlen($key) < 24) {
    throw new Exception('WEBHOOK_SECRET is not set');
}

function isGenuine(array $headers, string $body, string $key): bool
{
    [$id, $sentAt, $signatures] = array_map(fn ($name) => $headers["HTTP_WEBHOOK_$name"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
    if (!ctype_digit($sentAt) || abs(time() - (int) $sentAt) > 300) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
    $right = array_filter(explode(' ', $signatures), fn ($one) => hash_equals($expected, $one));
    return count($right) > 0;
}

$body = file_get_contents('php://input');
http_response_code(isGenuine($_SERVER, $body, $key) ? 204 : 401);
