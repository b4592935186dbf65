// A gateway whose clients connect with TLS or through proxies. The tests read its metrics over plain HTTP at its admin address.
#pragma once

#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/tls_client.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>

namespace photofinish::testing {

class front_fixture : public gateway_fixture {
 protected:
  front_fixture() {
    add("p", provider);
    add_route("r", {"p/m"});
    settings.server.admin = gateway::listen_address{"127.0.0.1", 0};
  }

  // Returns the value of the metric with this name and these labels. Returns -1 if the metric does not exist.
  double sample(const std::string& name) const {
    const std::string page = sent_and_read(gateway->admin_port(), "GET /metrics HTTP/1.0\r\n\r\n");
    const std::size_t at = page.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::atof(page.c_str() + at + name.size() + 2);
  }
  bool has_refused(const std::string& reason, double least) const {
    return comes_true([&] { return refused(reason) >= least; });
  }
  double refused(const std::string& reason) const {
    return sample("photofinish_refused_connections_total{reason=\"" + reason + "\"}");
  }

  void show(const identity& who) {
    gateway::tls_settings& tls = settings.server.ingress.tls.emplace();
    tls.certificates = certificate_pem(who);
    tls.key = proxy::secret(key_pem(who));
    tls.expires = std::chrono::sys_seconds(std::chrono::seconds(1'900'000'000));
  }

  // Sends a request over TLS. Returns the status line, or an empty text if there was no answer.
  std::string ask(const tls_client_options& options, const std::string& fields = "") const {
    tls_client client(gateway->port(), options);
    client.post(streamed("r"), fields);
    const std::string answer = client.read();
    return answer.substr(0, answer.find("\r\n"));
  }

  scripted_provider provider{streams({"hello"})};
};

}  // namespace photofinish::testing
