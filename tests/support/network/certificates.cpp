#include "tests/support/network/certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <unistd.h>

#include <cstdio>
#include <stdexcept>

namespace photofinish::testing {
namespace {

void check(bool is_fine, const char* what) {
  if (!is_fine) throw std::runtime_error(what);
}

void add_extension(X509* to, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, to, to, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  check(extension != nullptr, "no extension");
  X509_add_ext(to, extension, -1);
  X509_EXTENSION_free(extension);
}

identity blank(const std::string& common_name, const leaf_options& options) {
  static long serial = 0;
  identity made{{EVP_EC_gen("P-256"), EVP_PKEY_free}, {X509_new(), X509_free}};
  X509* certificate = made.certificate.get();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), options.from_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate), options.until_s);
  X509_set_pubkey(certificate, made.key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
  return made;
}

void sign(const identity& subject, const identity& issuer) {
  X509_set_issuer_name(subject.certificate.get(), X509_get_subject_name(issuer.certificate.get()));
  check(X509_sign(subject.certificate.get(), issuer.key.get(), EVP_sha256()) > 0, "not signed");
}

// Returns a different name for each certificate authority, so that OpenSSL does not confuse the issuers of certificates.
std::string next_authority_name() {
  static int made = 0;
  return "test authority " + std::to_string(++made);
}

template <class Write>
std::string pem_by(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), BIO_free);
  write(text.get());
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

std::string certificate_pem(const identity& of) {
  return pem_by([&](BIO* to) { PEM_write_bio_X509(to, of.certificate.get()); });
}

std::string key_pem(const identity& of) {
  return pem_by([&](BIO* to) { PEM_write_bio_PrivateKey(to, of.key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
}

test_authority::test_authority() : self_(blank(next_authority_name(), {})) {
  add_extension(self_.certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(self_.certificate.get(), NID_subject_key_identifier, "hash");
  sign(self_, self_);
  char name[] = "/tmp/photofinish-ca-XXXXXX";
  const int fd = ::mkstemp(name);
  check(fd >= 0, "no temporary file");
  file_ = name;
  std::FILE* out = ::fdopen(fd, "w");
  PEM_write_X509(out, self_.certificate.get());
  std::fclose(out);
}

test_authority::~test_authority() { ::unlink(file_.c_str()); }

identity test_authority::issue(const leaf_options& options) const {
  identity made = blank(options.common_name, options);
  add_extension(made.certificate.get(), NID_subject_alt_name, options.alt_name);
  sign(made, self_);
  return made;
}

identity self_signed(const leaf_options& options) {
  identity made = blank("lonely server", options);
  add_extension(made.certificate.get(), NID_subject_alt_name, options.alt_name);
  sign(made, made);
  return made;
}

std::shared_ptr<SSL_CTX> server_context(const identity& who, int max_version) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX_set_max_proto_version(context.get(), max_version);
  SSL_CTX_use_certificate(context.get(), who.certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), who.key.get());
  static constexpr unsigned char id[] = "tests";
  SSL_CTX_set_session_id_context(context.get(), id, sizeof id - 1);
  return context;
}

}  // namespace photofinish::testing
