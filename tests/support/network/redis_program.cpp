#include "tests/support/network/redis_program.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <csignal>
#include <stdexcept>
#include <utility>

namespace photofinish::testing {

redis_program::redis_program(std::string more) : port_(closed_port()), more_(std::move(more)) { begin(); }

void redis_program::begin() {
  const std::string settings = "port " + std::to_string(port_) + "\nbind 127.0.0.1\nsave \"\"\nappendonly no\ndir " +
                               folder_.path().string() + "\nmaxmemory 64mb\n" + more_ + "\n";
  const std::string file = folder_.write("redis.conf", settings);
  program_ = std::make_unique<child_program>(std::vector<std::string>{find_program("redis-server"), file});
  if (!program_->listens_on(port_)) throw std::runtime_error("redis-server does not listen");
}

void redis_program::end() { program_.reset(); }

void redis_program::freeze() { ::kill(program_->pid(), SIGSTOP); }

void redis_program::thaw() { ::kill(program_->pid(), SIGCONT); }

std::unique_ptr<peer> redis_program::connect() const {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port_);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto connected = std::make_unique<peer>(fd);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) connected->close();
  return connected;
}

gateway::store_reply redis_program::ask(const std::vector<std::string>& command,
                                        const std::vector<std::string>& before) const {
  std::vector<gateway::store_command> commands;
  if (!before.empty()) commands.push_back(before);
  commands.push_back(command);
  gateway::reply_reader reader;
  std::vector<gateway::store_reply> replies;
  const std::unique_ptr<peer> connected = connect();
  bool is_open = connected->write(gateway::written(commands));
  while (is_open && replies.size() < commands.size()) {
    const std::string bytes = connected->read_some();
    is_open = !bytes.empty();
    reader.feed(bytes);
    while (auto reply = reader.next()) replies.push_back(*std::move(reply));
  }
  return replies.size() < commands.size() ? gateway::store_reply{} : replies.back();
}

sentinel_program::sentinel_program(std::uint16_t primary, const std::string& more) : port_(closed_port()) {
  const std::string settings = "port " + std::to_string(port_) + "\nbind 127.0.0.1\ndir " + folder_.path().string() +
                               "\nsentinel monitor main 127.0.0.1 " + std::to_string(primary) +
                               " 1\nsentinel down-after-milliseconds main 300\nsentinel failover-timeout main 2000\n" +
                               more + "\n";
  const std::string file = folder_.write("sentinel.conf", settings);
  program_ =
      std::make_unique<child_program>(std::vector<std::string>{find_program("redis-server"), file, "--sentinel"});
  if (!program_->listens_on(port_)) throw std::runtime_error("redis-server does not listen as a sentinel");
}

}  // namespace photofinish::testing
