#include "gateway/log/append_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

namespace photofinish::gateway {
namespace {

std::string system_words(int error) { return std::generic_category().message(error); }

}  // namespace

std::string append_file::write(const std::string& path, const std::string& lines) {
  if (std::string problem = open_again(path); !problem.empty()) return problem;
  if (is_cut_) {
    if (::write(descriptor_, "\n", 1) != 1) return system_words(errno);
    is_cut_ = false;
  }
  for (std::size_t at = 0; at < lines.size();) {
    const ssize_t written = ::write(descriptor_, lines.data() + at, lines.size() - at);
    if (written > 0) at += static_cast<std::size_t>(written), is_cut_ = lines[at - 1] != '\n';
    else if (errno != EINTR) return system_words(errno);
  }
  return {};
}

// Makes a new file if the old one was moved away or removed. Does not open a pipe or a device, which could wait for
// ever, nor a symbolic link: another user who can write in the folder could choose by it which file grows.
std::string append_file::open_again(const std::string& path) {
  if (path != path_) close(), path_ = path;
  struct stat there{}, ours{};
  const bool is_there = ::lstat(path.c_str(), &there) == 0;
  if (is_there && S_ISLNK(there.st_mode)) return close(), "it is a symbolic link, which is not followed";
  if (is_there && !S_ISREG(there.st_mode)) return close(), "it is not a regular file";
  const bool is_same = is_there && descriptor_ >= 0 && ::fstat(descriptor_, &ours) == 0 &&
                       ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
  if (is_same) return {};
  close();
  constexpr int owner_writes_group_reads = 0640;
  constexpr int how = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  descriptor_ = ::open(path.c_str(), how, owner_writes_group_reads);
  return descriptor_ < 0 ? system_words(errno) : std::string();
}

void append_file::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  is_cut_ = false;
}

}  // namespace photofinish::gateway
