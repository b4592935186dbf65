// Starts HTTP/2 servers of other projects as child processes. They listen on a port of this machine, and use a certificate that the tests'
// authority has signed. Check is_installed() first, because a program may be missing.
#pragma once

#include "tests/support/network/certificates.hpp"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace photofinish::testing {

bool is_installed(const std::string& program);

class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const;  // writes a file and returns its path
  std::string read(const std::string& name) const;                           // content of the file; empty if the file does not exist

 private:
  std::filesystem::path path_;
};

// Writes the identity's PEM files, server.crt and server.key, into the folder.
void write_pem(const identity& who, const std::filesystem::path& folder);

std::string find_program(const std::string& program);  // path of the program; empty if the program is not installed

// A running program. The destructor ends its process.
class child_program {
 public:
  explicit child_program(const std::vector<std::string>& command);
  child_program(const child_program&) = delete;
  ~child_program();
  pid_t pid() const { return pid_; }
  // Waits until a server listens on this port. Returns false if no server listens in time.
  bool listens_on(std::uint16_t port) const;

 private:
  pid_t pid_;
};

// Runs nginx with TLS, HTTP/2 and HTTP/1.1, in front of a plain HTTP/1.1 server.
class nginx_server {
 public:
  nginx_server(const test_authority& authority, std::uint16_t behind, const std::string& more_settings = "");
  std::uint16_t port() const { return port_; }
  bool is_running() const { return program_.listens_on(port_); }
  // Returns the number of finished requests that used this protocol, such as "HTTP/2.0".
  int ended_over(const std::string& protocol) const;

 private:
  temporary_folder folder_;
  std::uint16_t port_;
  child_program program_;
};

// Runs nghttpd, which serves one file as an event stream.
class nghttpd_server {
 public:
  nghttpd_server(const test_authority& authority, const std::string& path, const std::string& text);
  std::uint16_t port() const { return port_; }
  bool is_running() const { return program_.listens_on(port_); }

 private:
  temporary_folder folder_;
  std::uint16_t port_;
  child_program program_;
};

}  // namespace photofinish::testing
