// Tests a process with almost no free file descriptors. No loop may spin, the metrics must stay reachable, and the gateway must recover
// when descriptors are free again.
#include "tests/support/streams/stream_bytes.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

// Limits the number of file descriptors of this process. The destructor restores the old limit.
class descriptor_limit {
 public:
  descriptor_limit() { ::getrlimit(RLIMIT_NOFILE, &before_); }
  ~descriptor_limit() { lift(); }
  void lower_to(rlim_t count) const {
    const rlimit lowered{count, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &lowered);
  }
  void lift() const { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

// A child process that opens the given number of connections, and holds them until the test ends. The connections therefore use no
// descriptors of the test's own process. The child process is forked before any threads start.
class crowd {
 public:
  explicit crowd(int size) {
    int to_child[2], to_parent[2];
    if (::pipe2(to_child, O_CLOEXEC) != 0 || ::pipe2(to_parent, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    child_ = ::fork();
    if (child_ == 0) {
      ::close(to_child[1]);
      hold_connections(size, to_child[0], to_parent[1]);
    }
    ::close(to_child[0]), ::close(to_parent[1]);
    reported_ = to_child[1], heard_ = to_parent[0];
  }
  ~crowd() {
    leave();
    ::close(heard_);
  }

  void come_to(std::uint16_t port) const {
    ASSERT_EQ(::write(reported_, &port, sizeof port), static_cast<ssize_t>(sizeof port));
    char all_here = 0;
    ASSERT_EQ(::read(heard_, &all_here, 1), 1);
  }
  void leave() {
    if (reported_ < 0) return;
    ::close(std::exchange(reported_, -1));
    ::waitpid(child_, nullptr, 0);
  }

 private:
  [[noreturn]] static void hold_connections(int size, int orders, int heard) {
    std::uint16_t port = 0;
    if (::read(orders, &port, sizeof port) != static_cast<ssize_t>(sizeof port)) ::_exit(1);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int count = 0; count < size; ++count) {
      const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
      if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) ::_exit(1);
    }
    char end = 'x';
    if (::write(heard, &end, 1) == 1) end = static_cast<char>(::read(orders, &end, 1));
    ::_exit(0);
  }

  pid_t child_ = -1;
  int reported_ = -1, heard_ = -1;
};

double cpu_ms() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto ms_of = [](const timeval& time) { return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3; };
  return ms_of(used.ru_utime) + ms_of(used.ru_stime);
}

// Returns true if the process uses less than a twentieth of a CPU after a short time. A loop that spins would always use more.
bool comes_to_rest() {
  return comes_true([] {
    const double before = cpu_ms();
    std::this_thread::sleep_for(500ms);
    return (cpu_ms() - before) / 500 < 0.05;
  });
}

class descriptors_test : public gateway_fixture {
 protected:
  descriptor_limit limit;
};

TEST_F(descriptors_test, FiveHundredClientsFindSixtyFourDescriptors) {
  crowd clients(500);
  settings.server.admin = gateway::listen_address{"127.0.0.1", 0};
  limit.lower_to(64);
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  clients.come_to(gateway->port());
  EXPECT_TRUE(comes_to_rest());
  test_client admin(gateway->admin_port());
  admin.get("/metrics");
  EXPECT_EQ(admin.read().status, 200);
  EXPECT_EQ(get("/v1/models").status, 503);
  clients.leave();
  EXPECT_TRUE(comes_true([&] { return post(streamed("r")).text() == "hi"; }));
}

TEST_F(descriptors_test, WithoutASingleOneAcceptingPausesAndGoesOn) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer itself opens a pipe to look at an object's type, and takes its failing for a bug";
#endif
  crowd clients(20);
  start();
  const int highest = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(highest);
  // The new limit is so low that the process cannot open another descriptor.
  limit.lower_to(static_cast<rlim_t>(highest));
  clients.come_to(gateway->port());              // opens connections that wait in the kernel's backlog
  EXPECT_TRUE(comes_to_rest());
  limit.lift();
  EXPECT_TRUE(comes_true([&] { return get("/livez").status == 200; }));
}

}  // namespace
}  // namespace photofinish::testing
