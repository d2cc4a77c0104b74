require "openssl"

key = ENV.fetch("WEBHOOK_SECRET").delete_prefix("whsec_").unpack1("m")
raise "WEBHOOK_SECRET is not set" if key.bytesize < 24

is_genuine = lambda do |env, body|
  id, sent_at, signatures = %w[ID TIMESTAMP SIGNATURE].map { |name| env["HTTP_WEBHOOK_#{name}"].to_s.b }
  next false unless sent_at.match?(/\A\d+\z/) && (Time.now.to_i - sent_at.to_i).abs <= 300
  expected = "v1," + [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{sent_at}.".b + body.b)].pack("m0")
  signatures.split(" ").any? { |one| OpenSSL.secure_compare(one, expected) }
end

run ->(env) { [is_genuine.(env, env["rack.input"].read) ? 204 : 401, {}, []] }
