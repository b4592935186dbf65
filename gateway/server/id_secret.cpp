#include "gateway/server/id_secret.hpp"

#include "gateway/process/random_bits.hpp"
#include "gateway/process/regular_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <spdlog/spdlog.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace photofinish::gateway {
namespace {

constexpr std::size_t secret_bytes = 32;

std::string random_secret() {
  std::array<char, secret_bytes> bytes;
  fill_with_random(bytes);
  return {bytes.data(), bytes.size()};
}

// Returns a file name that no other gateway uses. The process id alone is not enough, because gateways in different
// containers may have the same process id and share the folder.
std::string fresh_name(const std::string& path) {
  std::string name = path + ".new-";
  for (const char each : random_secret().substr(0, 8)) {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(each);
    name.append({hex[byte >> 4], hex[byte & 15]});
  }
  return name;
}

// Creates the file. Returns an error text, or an empty text. The bytes are first written to a temporary file, which is
// renamed when it is complete. An existing file is not replaced, because another gateway may have just created it.
std::string make_file(const std::string& path, std::string_view bytes) {
  const std::string fresh = fresh_name(path);
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return reason_of_errno();
  const bool is_written = ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
                          ::fdatasync(fd) == 0;
  std::string why = is_written ? std::string() : reason_of_errno();
  ::close(fd);
  if (is_written && ::link(fresh.c_str(), path.c_str()) != 0 && errno != EEXIST) why = reason_of_errno();
  ::unlink(fresh.c_str());
  return why;
}

}  // namespace

proxy::secret id_secret_in(const std::string& folder) {
  if (folder.empty()) return proxy::secret(random_secret());
  const std::string path = folder + "/id_secret";
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  std::string why;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ec))) why = make_file(path, random_secret());
  if (why.empty()) {
    const file_content found = read_regular_file(path, secret_bytes);
    if (found.text.size() == secret_bytes) return proxy::secret(found.text);
    why = found.problem.empty() ? "the file does not have 32 bytes" : found.problem;
  }
  spdlog::warn("{}: {}: ids of stored responses are valid only until the next restart; set id_secret, or repair "
               "state_dir",
               path, why);
  return proxy::secret(random_secret());
}

}  // namespace photofinish::gateway
