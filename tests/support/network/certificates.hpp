// Creates certificates during the test: an authority, and valid and invalid certificates of servers.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace photofinish::testing {

struct identity {
  std::shared_ptr<EVP_PKEY> key;
  std::shared_ptr<X509> certificate;
};

// Returns the certificate in the PEM format, as it is stored in files.
std::string certificate_pem(const identity& of);
std::string key_pem(const identity& of);

struct leaf_options {
  std::string alt_name = "DNS:localhost,IP:127.0.0.1,IP:::1";
  long from_s = -3600;  // start of the certificate's validity, in seconds from now
  long until_s = 3600;
  std::string common_name = "test server";
};

class test_authority {
 public:
  test_authority();
  ~test_authority();
  test_authority(const test_authority&) = delete;

  const std::string& pem_file() const { return file_; }
  std::string pem() const { return certificate_pem(self_); }
  identity issue(const leaf_options& options = {}) const;

 private:
  identity self_;
  std::string file_;
};

identity self_signed(const leaf_options& options = {});

// Creates the TLS context of a server with this certificate. The returned pointer owns the context.
std::shared_ptr<SSL_CTX> server_context(const identity& who, int max_version = TLS1_3_VERSION);

}  // namespace photofinish::testing
