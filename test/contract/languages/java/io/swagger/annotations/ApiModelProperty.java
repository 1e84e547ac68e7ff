package io.swagger.annotations;

/** In place of the package, which Debian does not have: only the names are needed. */
public @interface ApiModelProperty {
  String value() default "";
  boolean required() default false;
  String example() default "";
}
