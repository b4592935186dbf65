// Shared code of the tests of audio and images: targets that serve these APIs, and the forms that clients send.
#pragma once

#include "tests/integration/apis/served_fixture.hpp"

#include <string>

namespace photofinish::testing {

class audio_fixture : public served_fixture {
 protected:
  audio_fixture() : served_fixture({served_api::audio}) {}

  http_response ask(const std::string& body, const std::string& path = "/v1/audio/speech") { return post_to(path, body); }
  http_response speak(const std::string& more = "") { return ask(R"({"model":"r","input":"hello","voice":"v")" + more + "}"); }

  static std::string field(const std::string& name, const std::string& content) {
    return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + content + "\r\n";
  }
  static std::string file(const std::string& name, const std::string& content = "RIFF") {
    return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"f\"\r\nContent-Type: audio/wav\r\n\r\n" +
           content + "\r\n";
  }
  static std::string request_with(const std::string& form, const std::string& path = "/v1/audio/transcriptions") {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: " +
           std::to_string(form.size()) + "\r\n\r\n" + form;
  }
  http_response send(const std::string& parts, const std::string& path = "/v1/audio/transcriptions") {
    test_client client = connect();
    client.send(request_with(parts + "--b--\r\n", path));
    return client.read();
  }
  http_response transcribe(const std::string& more = "") { return send(field("model", "r") + file("file") + more); }
};

}  // namespace photofinish::testing
