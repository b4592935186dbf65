#include "gateway/config/sections/ca_file.hpp"

#include "gateway/ingress/pem_pair.hpp"

namespace photofinish::gateway {

void check_ca_file(const section_reader& section, const std::string& path) {
  if (!section.has_read("ca_file")) return;
  const file_content content = section.shared().machine.read_file(path);
  if (!content.problem.empty() && section.shared().may_miss("file:" + path)) return;
  const std::string problem = content.problem.empty() ? authorities_problem(content.text) : content.problem;
  if (!problem.empty()) section.error("ca_file", path + ": " + problem);
}

}  // namespace photofinish::gateway
