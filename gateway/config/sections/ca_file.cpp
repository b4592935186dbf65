#include "gateway/config/sections/ca_file.hpp"

#include "gateway/front/pem_pair.hpp"

namespace photofinish::gateway {

void read_ca_file(const section_reader& section, std::string& path) {
  if (!section.read("ca_file", path)) return;
  const file_content content = section.shared().machine.read_file(path);
  if (!content.problem.empty() && section.shared().may_miss("file:" + path)) return;
  const std::string problem = content.problem.empty() ? authorities_problem(content.text) : content.problem;
  if (!problem.empty()) section.error("ca_file", path + ": " + problem);
}

}  // namespace photofinish::gateway
