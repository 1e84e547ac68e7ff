package org.openapitools.jackson.nullable;

/** In place of the package, which Debian does not have: what generated models call. */
public class JsonNullable<T> {
  private final T value;

  private JsonNullable(T value) { this.value = value; }

  public static <T> JsonNullable<T> undefined() { return new JsonNullable<>(null); }

  public static <T> JsonNullable<T> of(T value) { return new JsonNullable<>(value); }

  public T orElse(T other) { return value == null ? other : value; }
}
