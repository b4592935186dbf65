// Tests how the machine's memory size is read. The test creates file trees like those that kernels provide.
#include "gateway/process/machine_memory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace photofinish::gateway {
namespace {

namespace fs = std::filesystem;

class MachineMemory : public testing::Test {
 protected:
  MachineMemory() { write("proc/meminfo", "MemTotal:       16000000 kB\nMemFree:         9000000 kB\n"); }
  ~MachineMemory() override { fs::remove_all(root); }

  void write(const fs::path& file, const std::string& text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }

  fs::path root = fs::path(testing::TempDir()) /
                  (std::string("memory_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(MachineMemory, IsTheMachinesWithoutACgroup) { EXPECT_EQ(machine_memory(root), std::size_t{16'000'000} * 1024); }

TEST_F(MachineMemory, OfAContainerIsItsOwnLimit) {
  write("sys/fs/cgroup/memory.max", "536870912\n");
  write("proc/self/cgroup", "0::/\n");
  EXPECT_EQ(machine_memory(root), 512u << 20);
}

TEST_F(MachineMemory, NoLimitIsSpelledMax) {
  write("sys/fs/cgroup/memory.max", "max\n");
  write("proc/self/cgroup", "0::/user.slice\n");
  EXPECT_EQ(machine_memory(root), std::size_t{16'000'000} * 1024);
}

TEST_F(MachineMemory, OfAServiceIsTheLeastOfItsGroups) {
  write("proc/self/cgroup", "0::/system.slice/photofinish.service\n");
  write("sys/fs/cgroup/system.slice/photofinish.service/memory.max", "max\n");
  write("sys/fs/cgroup/system.slice/memory.max", "1073741824\n");
  EXPECT_EQ(machine_memory(root), 1024u << 20);
  write("sys/fs/cgroup/system.slice/photofinish.service/memory.max", "268435456\n");
  EXPECT_EQ(machine_memory(root), 256u << 20);
}

TEST_F(MachineMemory, OfTheFirstVersionOfCgroupsIsReadToo) {
  write("proc/self/cgroup", "12:cpu,cpuacct:/docker/0a\n9:memory:/docker/0a\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/docker/0a/memory.limit_in_bytes", "134217728\n");
  EXPECT_EQ(machine_memory(root), 128u << 20);
}

TEST_F(MachineMemory, IsModestWhereNothingIsSaid) {
  fs::remove_all(root);
  EXPECT_EQ(machine_memory(root), 1024u << 20);
}

}  // namespace
}  // namespace photofinish::gateway
