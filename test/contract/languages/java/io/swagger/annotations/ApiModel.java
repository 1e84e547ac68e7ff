package io.swagger.annotations;

/** In place of the package, which Debian does not have: only the names are needed. */
public @interface ApiModel {
  String description() default "";
}
