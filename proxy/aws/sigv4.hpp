// AWS Signature Version 4: a request is signed with a key that never leaves here. [pure but for OpenSSL]
#pragma once

#include "proxy/aws/aws_credentials.hpp"
#include "proxy/http/http_message.hpp"

#include <openssl/evp.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// SHA-256 of what comes in pieces.
class sha256 {
 public:
  sha256();
  void add(std::string_view bytes);
  std::string hex();  // of all of it; nothing may be added then

 private:
  struct freed {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, freed> context_;
};

// What a signature holds for.
struct aws_scope {
  std::string_view region;
  std::string_view service;
};

// Adds x-amz-date, x-amz-security-token where there is one, and authorization, in place of those that are there. What
// is added to the head later is not signed. `body_hash` is sha256's.
void sign_request(request_head& head, std::string_view body_hash, const aws_credentials& by, const aws_scope& scope,
                  std::chrono::sys_seconds now);

// What is signed, as AWS puts it together again. S3 alone does it otherwise.
std::string canonical_request(const request_head& head, std::string_view body_hash);

}  // namespace photofinish::proxy
