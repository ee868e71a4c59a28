#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "carom/error.hpp"

namespace carom {

/// What travels between ranks. All run the same program on processors of one kind, so numbers
/// travel as they lie in memory.
using Bytes = std::vector<std::byte>;

/// Numbers and arrays of them, one after the other.
class Packer {
 public:
  template <class T>
  Packer& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
    return *this;
  }
  template <class T>
  Packer& put(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put<std::uint64_t>(values.size());
    append(values.data(), values.size() * sizeof(T));
    return *this;
  }
  Packer& put(const std::string& text) {
    put<std::uint64_t>(text.size());
    append(text.data(), text.size());
    return *this;
  }
  Bytes take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    if (size > 0) std::memcpy(&bytes_[at], data, size);
  }

  Bytes bytes_;
};

/// Takes them out again, in the same order. @throws RunError where a message ends too early.
class Unpacker {
 public:
  explicit Unpacker(const Bytes& bytes) : bytes_(bytes) {}

  template <class T>
  Unpacker& get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    extract(&value, sizeof value);
    return *this;
  }
  template <class T>
  Unpacker& get(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    values.resize(size_of(sizeof(T)));
    extract(values.data(), values.size() * sizeof(T));
    return *this;
  }
  Unpacker& get(std::string& text) {
    text.resize(size_of(1));
    extract(text.data(), text.size());
    return *this;
  }
  template <class T>
  T get() {
    T value{};
    get(value);
    return value;
  }

 private:
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t size_of(std::size_t item) {
    const auto size = get<std::uint64_t>();
    if (size > left() / item) fail();
    return static_cast<std::size_t>(size);
  }
  void extract(void* data, std::size_t size) {
    if (size > left()) fail();
    if (size > 0) std::memcpy(data, &bytes_[at_], size);
    at_ += size;
  }
  [[noreturn]] static void fail() { throw RunError("a message between ranks ends too early"); }

  const Bytes& bytes_;
  std::size_t at_ = 0;
};

}  // namespace carom
