// What a server's certificate and key are worth, before they are used: do they fit, and how long? [pure but for X.509]
#pragma once

#include <chrono>
#include <string>

namespace photofinish::gateway {

struct pem_pair {
  // To stand behind the files' names; empty: none.
  std::string certificate_problem, key_problem;
  std::string warning;  // of the chain behind the first certificate
  std::chrono::sys_seconds expires{};  // of the first certificate
};

pem_pair examine_pair(const std::string& certificates, const std::string& key);

// Why the text cannot serve as authorities of clients; empty: it can.
std::string authorities_problem(const std::string& certificates);

}  // namespace photofinish::gateway
