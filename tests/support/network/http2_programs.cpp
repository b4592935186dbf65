#include "tests/support/network/http2_programs.hpp"

#include "tests/support/network/scripted_peer.hpp"

#include <openssl/pem.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace photofinish::testing {
namespace {

std::vector<std::string> nginx_command(const temporary_folder& folder, const test_authority& authority,
                                       std::uint16_t port, std::uint16_t behind, const std::string& more) {
  write_pem(authority.issue(), folder.path());
  const std::string at = folder.path().string();
  std::ostringstream settings;
  settings << "daemon off; master_process off; pid " << at << "/pid; error_log " << at << "/error.log;\n"
           << "events { worker_connections 4096; }\nhttp {\n"
           << "  log_format protocol '$server_protocol $status';\n  access_log " << at << "/access.log protocol;\n";
  for (const std::string_view each : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    settings << "  " << each << "_temp_path " << at << "/" << each << ";\n";
  settings << "  " << more << "\n  server {\n    listen 127.0.0.1:" << port << " ssl http2;\n    ssl_certificate " << at
           << "/server.crt; ssl_certificate_key " << at << "/server.key;\n"
           << "    location / { proxy_pass http://127.0.0.1:" << behind << "; proxy_http_version 1.1;\n"
           << "      proxy_buffering off; proxy_read_timeout 60s; proxy_set_header Connection close; }\n  }\n}\n";
  return {find_program("nginx"), "-p", at, "-c", folder.write("nginx.conf", settings.str())};
}

std::vector<std::string> nghttpd_command(const temporary_folder& folder, const test_authority& authority,
                                         std::uint16_t port, const std::string& path, const std::string& text) {
  write_pem(authority.issue(), folder.path());
  const std::filesystem::path file = folder.path() / ("root" + path);
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
  const std::string types = folder.write("mime.types", "text/event-stream sse\n");
  const std::string at = folder.path().string();
  return {find_program("nghttpd"), "-a", "127.0.0.1", "-d", at + "/root", "--mime-types-file=" + types,
          std::to_string(port), at + "/server.key", at + "/server.crt"};
}

}  // namespace

std::string find_program(const std::string& program) {
  for (const std::string_view folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/bin/", "/usr/local/sbin/"}) {
    const std::string path = std::string(folder) + program;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

void write_pem(const identity& who, const std::filesystem::path& folder) {
  std::FILE* certificate = std::fopen((folder / "server.crt").c_str(), "w");
  PEM_write_X509(certificate, who.certificate.get());
  std::fclose(certificate);
  std::FILE* key = std::fopen((folder / "server.key").c_str(), "w");
  PEM_write_PrivateKey(key, who.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(key);
}

bool is_installed(const std::string& program) { return !find_program(program).empty(); }

temporary_folder::temporary_folder() {
  char name[] = "/tmp/photofinish-http2-XXXXXX";
  if (::mkdtemp(name) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ec;
  std::filesystem::remove_all(path_, ec);
}

std::string temporary_folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name) << text;
  return (path_ / name).string();
}

std::string temporary_folder::read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(path_ / name).rdbuf();
  return text.str();
}

child_program::child_program(const std::vector<std::string>& command) : pid_(-1) {
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ != 0) return;
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) ::dup2(nowhere, fd);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

child_program::~child_program() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool child_program::listens_on(std::uint16_t port) const {
  for (int tries = 0; tries < 500; ++tries) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool is_there = ::connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
    ::close(fd);
    if (is_there) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

nginx_server::nginx_server(const test_authority& authority, std::uint16_t behind, const std::string& more_settings)
    : port_(closed_port()), program_(nginx_command(folder_, authority, port_, behind, more_settings)) {}

int nginx_server::ended_over(const std::string& protocol) const {
  std::istringstream log(folder_.read("access.log"));
  int count = 0;
  for (std::string line; std::getline(log, line);)
    if (line.starts_with(protocol)) ++count;
  return count;
}

nghttpd_server::nghttpd_server(const test_authority& authority, const std::string& path, const std::string& text)
    : port_(closed_port()), program_(nghttpd_command(folder_, authority, port_, path, text)) {}

}  // namespace photofinish::testing
