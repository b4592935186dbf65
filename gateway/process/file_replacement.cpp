#include "gateway/process/file_replacement.hpp"

#include "gateway/process/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace photofinish::gateway {
namespace {

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Writes a temporary file, which is renamed later. The bytes are on the disk before the renaming, so that a crash
// cannot leave an empty file under the final name. An existing file with the temporary name is removed first. It may be
// a link, a pipe, or left over from a crash. It is never followed or overwritten.
bool write_file(const std::string& path, std::string_view bytes, const struct stat* like) {
  ::unlink(path.c_str());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool is_alike = like == nullptr || (::fchown(fd, like->st_uid, like->st_gid) == 0 &&
                                            ::fchmod(fd, like->st_mode & 07777) == 0);
  const bool is_written = is_alike && write_all(fd, bytes) && ::fdatasync(fd) == 0;
  const int failed_with = errno;
  const bool is_closed = ::close(fd) == 0;
  if (!is_written) errno = failed_with;
  return is_written && is_closed;
}

std::string replace(const std::string& path, std::string_view bytes, const struct stat* like) {
  const std::string fresh = path + ".new";
  if (write_file(fresh, bytes, like) && std::rename(fresh.c_str(), path.c_str()) == 0) return {};
  std::string why = reason_of_errno();
  ::unlink(fresh.c_str());
  return why;
}

}  // namespace

std::string replace_file(const std::string& path, std::string_view bytes) { return replace(path, bytes, nullptr); }

std::string rewrite_file(const std::string& path, std::string_view bytes) {
  std::error_code ec;
  const std::filesystem::path real = std::filesystem::canonical(path, ec);
  struct stat old {};
  if (ec || ::stat(real.c_str(), &old) != 0) return replace(path, bytes, nullptr);
  return replace(real.string(), bytes, &old);
}

}  // namespace photofinish::gateway
