# A minimal Rack server for one receiver: `ruby rack.rb config.ru`, on PORT.
require "socket"
require "stringio"

def run(app)
  server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT")))
  loop do
    Thread.new(server.accept) do |client|
      env = {}
      client.gets
      while (line = client.gets&.chomp) && line != ""
        name, value = line.split(/: */, 2)
        env["HTTP_#{name.upcase.tr("-", "_")}"] = value
      end
      env["rack.input"] = StringIO.new(client.read(env["HTTP_CONTENT_LENGTH"].to_i))
      client.write("HTTP/1.1 #{app.call(env)[0]} Status\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    ensure
      client.close
    end
  end
end

load ARGV.fetch(0)
