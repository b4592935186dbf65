// Examines a server's certificate and key before use: whether they match, and until when they are valid.
// [pure but for X.509]
#pragma once

#include <chrono>
#include <string>

namespace photofinish::gateway {

struct pem_pair {
  // The problems of the two files, as texts that follow the files' names in messages. Empty if there is no problem.
  std::string certificate_problem, key_problem;
  std::string warning;  // a warning about the chain after the first certificate
  std::chrono::sys_seconds expires{};  // the time when the first certificate expires
};

pem_pair examine_pair(const std::string& certificates, const std::string& key);

// Explains why the text is not valid as certificates of client authorities. Returns an empty text if it is valid.
std::string authorities_problem(const std::string& certificates);

}  // namespace photofinish::gateway
