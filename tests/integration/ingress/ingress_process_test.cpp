// Tests the gateway's process while its certificates change, and with inherited sockets that outlive the process.
#include "tests/integration/server/asked_process.hpp"
#include "tests/support/gateway/tls_client.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

// A folder with the structure of a secret that kubelet mounts. Its files are symbolic links that go through one common link. A new version
// of the secret replaces only this common link.
class mounted_secret {
 public:
  explicit mounted_secret(const identity& first) {
    std::string pattern = std::filesystem::temp_directory_path() / "photofinish_tls_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    swap(first);
    std::filesystem::create_symlink("..data/tls.crt", folder_ + "/tls.crt");
    std::filesystem::create_symlink("..data/tls.key", folder_ + "/tls.key");
  }
  ~mounted_secret() { std::filesystem::remove_all(folder_); }

  void swap(const identity& to) { swap(certificate_pem(to), key_pem(to)); }
  void swap(const std::string& certificate, const std::string& key) {
    const std::string fresh = folder_ + "/..version" + std::to_string(++version_);
    std::filesystem::create_directory(fresh);
    std::ofstream(fresh + "/tls.crt") << certificate;
    std::ofstream(fresh + "/tls.key") << key;
    std::filesystem::create_symlink(fresh, folder_ + "/..next");
    std::filesystem::rename(folder_ + "/..next", folder_ + "/..data");
  }
  std::string section() const {
    return "tls: {cert_file: " + folder_ + "/tls.crt, key_file: " + folder_ + "/tls.key}\n";
  }

 private:
  std::string folder_;
  int version_ = 0;
};

long serial_of(const identity& who) { return ASN1_INTEGER_get(X509_get0_serialNumber(who.certificate.get())); }

// Sends requests until the test stops it, alternately on a new connection and on a connection that stays open.
struct asking {
  asking(std::uint16_t port, const std::string& ca_file) : thread([this, port, ca_file] { run(port, ca_file); }) {}
  ~asking() { end(); }
  void end() {
    may_ask = false;
    if (thread.joinable()) thread.join();
  }

  void run(std::uint16_t port, const std::string& ca_file) {
    tls_client kept(port, {.ca_file = ca_file});
    while (may_ask) {
      tls_client fresh(port, {.ca_file = ca_file});
      for (tls_client* each : {&fresh, &kept}) {
        const bool is_sent = each->is_up() && each->post(body);
        const std::string answer = is_sent ? each->read() : "";
        ++asked;
        if (!each->was_whole() || !answer.starts_with("HTTP/1.1 200 OK")) ++failed;
      }
    }
  }

  std::atomic<bool> may_ask = true;
  std::atomic<int> asked = 0, failed = 0;
  std::thread thread;
};

TEST(FrontProcess, TwentyChangesOfTheCertificateUnderLoadFailNoRequest) {
  const test_authority authority;
  scripted_provider provider(streams({"hello"}));
  mounted_secret files(authority.issue());
  gateway_process gateway({.config = one_provider(provider, files.section())});
  asking one(gateway.port(), authority.pem_file()), other(gateway.port(), authority.pem_file());
  for (int change = 0; change < 20; ++change) {
    const identity next = authority.issue();
    files.swap(next);
    gateway.signal(SIGHUP);  // reloads the certificates immediately, because the watcher checks them only once a second
    ASSERT_TRUE(comes_true([&] { return tls_client(gateway.port()).serial() == serial_of(next); })) << change;
  }
  one.end(), other.end();
  EXPECT_GT(one.asked + other.asked, 40);
  EXPECT_EQ(one.failed + other.failed, 0) << "of " << one.asked + other.asked;
}

TEST(FrontProcess, AChangedFileIsSeenWithoutASignalAndABadPairLeavesTheOldOneInUse) {
  const test_authority authority;
  scripted_provider provider(streams({"hello"}));
  const identity first = authority.issue(), second = authority.issue();
  mounted_secret files(first);
  gateway_process gateway({.config = one_provider(provider, files.section() + "admin: 127.0.0.1:0\n")});
  files.swap(certificate_pem(second), key_pem(first));
  EXPECT_TRUE(comes_true([&] { return gateway.output().find("is not the key of the first certificate") != std::string::npos; }));
  const auto is_last_reload = [&](const std::string& value) {
    const std::string line = "photofinish_config_last_reload_successful " + value;
    return comes_true([&] { return fetch(gateway.admin_port(), "/metrics").body.find(line) != std::string::npos; });
  };
  EXPECT_TRUE(is_last_reload("0"));
  EXPECT_EQ(tls_client(gateway.port()).serial(), serial_of(first));
  files.swap(second);
  EXPECT_TRUE(comes_true([&] { return tls_client(gateway.port()).serial() == serial_of(second); }));
  EXPECT_TRUE(is_last_reload("1"));
}

// A listening socket that the test process holds open, as systemd would.
struct held_socket {
  held_socket() : descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(descriptor, reinterpret_cast<sockaddr*>(&at), sizeof at);
    ::listen(descriptor, 100);
    socklen_t size = sizeof at;
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&at), &size);
    port = ntohs(at.sin_port);
  }
  ~held_socket() { ::close(descriptor); }
  int descriptor;
  std::uint16_t port = 0;
};

TEST(FrontProcess, OneGatewayAfterAnotherServesASocketThatOutlivesThem) {
  scripted_provider provider(streams({"hello"}));
  const held_socket socket, admin;
  const process_options options{
      .config = one_provider(provider, "drain_delay: 0s\nadmin: 127.0.0.1:" + std::to_string(admin.port) + "\n"),
      .handed = {socket.descriptor, admin.descriptor}};
  auto first = std::make_unique<gateway_process>(options);
  EXPECT_EQ(first->port(), socket.port);
  EXPECT_EQ(first->admin_port(), admin.port);
  EXPECT_EQ(ask(socket.port).status, 200);
  EXPECT_EQ(fetch(admin.port, "/metrics").status, 200);
  first->signal(SIGTERM);
  EXPECT_EQ(first->exit_code(), 0);
  test_client between(socket.port);  // no gateway is running now, but the kernel still accepts connections to the socket
  between.post(body);
  const gateway_process second(options);
  EXPECT_EQ(between.read().status, 200);
}

TEST(FrontProcess, EverySocketThatIsHandedOverIsServed) {
  scripted_provider provider(streams({"hello"}));
  const held_socket one, other;
  const gateway_process gateway({.config = one_provider(provider), .handed = {one.descriptor, other.descriptor}});
  for (int request = 0; request < 5; ++request) {
    EXPECT_EQ(ask(one.port).status, 200);
    EXPECT_EQ(ask(other.port).status, 200);
  }
}

}  // namespace
}  // namespace photofinish::testing
