// Runs Debian's redis-server as a child process on a port of this machine, with a blocking client.
#pragma once

#include "gateway/store/store_reply.hpp"
#include "tests/support/network/http2_programs.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::testing {

class redis_program {
 public:
  // `more` contains further lines for the configuration of redis-server.
  explicit redis_program(std::string more = "");

  std::uint16_t port() const { return port_; }
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  const temporary_folder& folder() const { return folder_; }

  void freeze();  // stops the process with SIGSTOP; thaw() continues it with SIGCONT
  void thaw();
  void end();    // ends the server without saving its data
  void begin();  // starts redis-server again on the same port

  std::unique_ptr<peer> connect() const;  // returns a closed connection if the server does not accept a connection
  // Sends one command on a new connection and returns its reply. The commands in `before`, such as AUTH, are sent first.
  gateway::store_reply ask(const std::vector<std::string>& command, const std::vector<std::string>& before = {}) const;

 private:
  temporary_folder folder_;
  std::uint16_t port_;
  std::string more_;
  std::unique_ptr<child_program> program_;
};

// Runs a Redis sentinel. It promotes a replica as soon as the primary is down, without a vote of other sentinels.
class sentinel_program {
 public:
  // The primary has the name `main` in the sentinel. `more` contains additional lines for the sentinel's configuration.
  explicit sentinel_program(std::uint16_t primary, const std::string& more = "");

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  temporary_folder folder_;
  std::uint16_t port_;
  std::unique_ptr<child_program> program_;
};

}  // namespace photofinish::testing
