// AWS Signature Version 4: signs a request with a key that is never sent. [pure but for OpenSSL]
#pragma once

#include "proxy/aws/aws_credentials.hpp"
#include "proxy/http/http_message.hpp"

#include <openssl/evp.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Computes the SHA-256 of data that arrives in pieces.
class sha256 {
 public:
  sha256();
  void add(std::string_view bytes);
  std::string hex();  // Returns the hash of all data. Nothing may be added after this call.

 private:
  struct freed {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, freed> context_;
};

// The scope in which a signature is valid.
struct aws_scope {
  std::string_view region;
  std::string_view service;
};

// Sets the fields x-amz-date and authorization, and also x-amz-security-token if there is a session token. They replace
// existing fields. Fields that are added to the request later are not signed. `body_hash` is the result of sha256.
void sign_request(request_head& head, std::string_view body_hash, const aws_credentials& by, const aws_scope& scope,
                  std::chrono::sys_seconds now);

// Returns the text that is signed. AWS builds the same text from the request that it receives. Only S3 uses another
// form of this text.
std::string canonical_request(const request_head& head, std::string_view body_hash);

}  // namespace photofinish::proxy
