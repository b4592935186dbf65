#include "gateway/process/machine_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace photofinish::gateway {
namespace {

namespace fs = std::filesystem;

// The amount of memory that is assumed if no amount can be read.
constexpr std::size_t modest = std::size_t{1} << 30;

// Reads a memory limit from a file. The text "max" means that there is no limit. In cgroups of version 1, a value of
// nine exabytes means the same.
std::size_t read_limit(const fs::path& file) {
  std::ifstream in(file);
  std::size_t bytes = 0;
  return in >> bytes ? bytes : SIZE_MAX;
}

// Returns the smallest limit of a cgroup and all its parent cgroups. In a container, the container's own cgroup is the
// root.
std::size_t least_upwards(const fs::path& hierarchy, fs::path group, const char* file) {
  std::size_t least = read_limit(hierarchy / file);
  for (; !group.empty() && group != group.root_path(); group = group.parent_path())
    least = std::min(least, read_limit(hierarchy / group.relative_path() / file));
  return least;
}

// Returns the memory limit of this process's cgroup. A line of /proc/self/cgroup looks like
// "0::/system.slice/a.service" (version 2), or "9:memory:/docker/0a1b" (version 1).
std::size_t cgroup_limit(const fs::path& root) {
  const fs::path mounted = root / "sys/fs/cgroup";
  const std::size_t version_1 = read_limit(mounted / "memory/memory.limit_in_bytes");
  std::size_t least = std::min(read_limit(mounted / "memory.max"), version_1);
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t name = line.find(':') + 1, path = line.find(':', name) + 1;
    if (name == 0 || path == 0) continue;
    const std::string controllers = "," + line.substr(name, path - 1 - name) + ",";
    if (controllers == ",,") least = std::min(least, least_upwards(mounted, line.substr(path), "memory.max"));
    else if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, least_upwards(mounted / "memory", line.substr(path), "memory.limit_in_bytes"));
  }
  return least;
}

std::size_t total_memory(const fs::path& root) {
  std::ifstream in(root / "proc/meminfo");
  for (std::string word; in >> word;) {
    std::size_t kilobytes = 0;
    if (word == "MemTotal:" && in >> kilobytes) return kilobytes * 1024;
  }
  return SIZE_MAX;
}

}  // namespace

std::size_t machine_memory(const fs::path& root) {
  const std::size_t found = std::min(cgroup_limit(root), total_memory(root));
  return found == SIZE_MAX || found == 0 ? modest : found;
}

}  // namespace photofinish::gateway
