#include "gateway/ingress/pem_pair.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <vector>

namespace photofinish::gateway {
namespace {

template <auto release>
struct freed_by {
  template <class T>
  void operator()(T* held) const noexcept { release(held); }
};
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free>>;
using x509_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using pkey_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;

bio_ptr over(const std::string& text) { return bio_ptr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// Prevents OpenSSL from asking for a password on the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

std::vector<x509_ptr> certificates_in(const std::string& text) {
  std::vector<x509_ptr> found;
  const bio_ptr source = over(text);
  while (X509* each = PEM_read_bio_X509(source.get(), nullptr, no_passphrase, nullptr)) found.emplace_back(each);
  ERR_clear_error();
  return found;
}

std::chrono::sys_seconds end_of(const X509* certificate) {
  std::tm when{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &when) != 1) return {};
  return std::chrono::sys_seconds(std::chrono::seconds(::timegm(&when)));
}

std::string key_trouble(const std::string& text) {
  if (text.find("ENCRYPTED") != std::string::npos)
    return "is encrypted: the gateway needs a key without a passphrase, which `openssl pkey -in KEY -out PLAIN` writes";
  return "contains no private key in PEM (-----BEGIN PRIVATE KEY-----)";
}

}  // namespace

pem_pair examine_pair(const std::string& certificates, const std::string& key) {
  pem_pair seen;
  const std::vector<x509_ptr> chain = certificates_in(certificates);
  if (chain.empty()) seen.certificate_problem = "contains no certificate in PEM (-----BEGIN CERTIFICATE-----)";
  const bio_ptr source = over(key);
  const pkey_ptr own(PEM_read_bio_PrivateKey(source.get(), nullptr, no_passphrase, nullptr));
  if (!own) seen.key_problem = key_trouble(key);
  if (!chain.empty() && own && X509_check_private_key(chain[0].get(), own.get()) != 1)
    seen.key_problem =
        "is not the key of the first certificate of cert_file: compare the outputs of `openssl x509 -in CERT -noout "
        "-pubkey` and `openssl pkey -in KEY -pubout`, and put the server's own certificate first";
  for (std::size_t at = 1; at < chain.size() && seen.warning.empty(); ++at)
    if (X509_check_issued(chain[at].get(), chain[at - 1].get()) != X509_V_OK)
      seen.warning = "certificate " + std::to_string(at + 1) + " of the file did not issue certificate " +
                     std::to_string(at) +
                     ", so clients may not trust it; the right order is the server's own certificate, then its issuer";
  if (!chain.empty()) seen.expires = end_of(chain[0].get());
  ERR_clear_error();
  return seen;
}

std::string authorities_problem(const std::string& certificates) {
  return certificates_in(certificates).empty() ? "contains no certificate in PEM (-----BEGIN CERTIFICATE-----)" : "";
}

}  // namespace photofinish::gateway
