#include "gateway/process/regular_file.hpp"

#include "gateway/config/yaml/units.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace photofinish::gateway {
namespace {

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

file_content refused(std::string why) { return {.text = {}, .problem = std::move(why)}; }

file_content refused_by(int error) {
  if (error == ENOENT) return refused("there is no such file");
  if (error == EACCES) return refused("cannot be read: no permission for the user that runs the gateway");
  if (error == ENXIO) return refused("is a socket or a device, not a regular file");
  return refused("cannot be read: " + std::system_category().message(error));
}

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "is a folder, not a file";
  if (S_ISFIFO(mode)) return "is a pipe, not a regular file";
  return "is a socket or a device, not a regular file";
}

// True for files that exist only in memory. Container engines provide secrets as such files. The mode of such a file
// does not matter, because the container has no other users.
bool is_in_memory(int file) {
  struct statfs facts{};
  return ::fstatfs(file, &facts) == 0 && (facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC);
}

// True if every user may enter all folders on the path.
bool is_reachable_by_all(const std::string& path) {
  std::error_code ec;
  const std::filesystem::path real = std::filesystem::canonical(path, ec);
  if (ec) return false;
  for (std::filesystem::path folder = real.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    struct stat facts{};
    if (::stat(folder.c_str(), &facts) != 0 || (facts.st_mode & S_IXOTH) == 0) return false;
  }
  return true;
}

std::string too_large(std::size_t most_bytes) {
  return "is larger than " + format_size(most_bytes) + ", the limit";
}

}  // namespace

std::string reason_of_errno() { return std::system_category().message(errno); }

file_content read_regular_file(const std::string& path, std::size_t most_bytes) {
  // O_NONBLOCK prevents open() from blocking if the file is a pipe; pipes are rejected afterwards. O_NOCTTY prevents a
  // terminal from becoming the process's terminal.
  const descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.number() < 0) return refused_by(errno);
  struct stat facts{};
  if (::fstat(file.number(), &facts) != 0) return refused_by(errno);
  if (!S_ISREG(facts.st_mode)) return refused(kind_of(facts.st_mode));
  if (facts.st_size > 0 && static_cast<std::size_t>(facts.st_size) > most_bytes) return refused(too_large(most_bytes));
  const bool is_open = (facts.st_mode & S_IROTH) != 0 && !is_in_memory(file.number()) && is_reachable_by_all(path);
  std::string text;
  std::array<char, 16'384> piece;
  while (true) {  // reads to the end, because files in /proc have no st_size, and other files may grow in the meantime
    const ssize_t count = ::read(file.number(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refused_by(errno);
    if (count == 0) return {.text = std::move(text), .problem = {}, .is_open_to_all = is_open};
    if (text.size() + static_cast<std::size_t>(count) > most_bytes) return refused(too_large(most_bytes));
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace photofinish::gateway
