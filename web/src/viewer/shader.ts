/**
 * Skinning and shading on the GPU. Influences, palette and correction shapes are textures that are read by number, so
 * that neither bones, influences nor shapes are limited; bones are affine, and normals turn with the cofactors
 * of the blended matrix, which is right for stretched bones too. Colours are made as they are shown (sRGB).
 */
import { HEAT } from "./colours";

export const TEXTURE_WIDTH = 2048;

/** Colour of a mesh that has none. */
const PLAIN = [0.67, 0.68, 0.7];

/** How the surface is coloured. */
export const Colouring = { plain: 0, difference: 1, bones: 2, weights: 3, marks: 4, chosen: 5 } as const;

export const VERTEX = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
uniform bool skinned;
uniform bool corrected;
uniform int influenceCount;
uniform bool turnNormals;
uniform int rank;
uniform int vertexCount;
uniform int boneCount;
uniform int colouring;
uniform int chosen;
uniform float heatTop;
uniform sampler2D palette;
uniform sampler2D influences;
uniform sampler2D basis;
uniform sampler2D boneColours;
in int source;
in vec3 compared;
in vec4 tint;
in vec2 uv0;
in float mark;
out vec2 vUv;
out vec4 vTint;
out vec3 vNormal;
out vec3 vToEye;
out vec3 vColour;
out float vHeat;
/** How much of the vertex is of bones that are hidden. */
out float vHidden;
#ifdef PROBE
out vec3 vPoint;
#endif

vec4 at(sampler2D source, int index) {
  return texelFetch(source, ivec2(index % ${TEXTURE_WIDTH}, index / ${TEXTURE_WIDTH}), 0);
}

void main() {
  vec3 point = position;
  vec3 turned = normal;
  vec3 blend = vec3(0.0);
  float weight = 0.0;
  if (skinned) {
    if (corrected) {
      for (int r = 0; r < rank; r++) {
        point += at(palette, boneCount * 3 + r).x * at(basis, r * vertexCount + source).xyz;
      }
    }
    vec4 x = vec4(0.0), y = vec4(0.0), z = vec4(0.0);
    for (int k = 0; k < influenceCount; k++) {
      vec2 influence = at(influences, source * influenceCount + k).xy;
      int bone = int(influence.x);
      x += influence.y * at(palette, bone * 3);
      y += influence.y * at(palette, bone * 3 + 1);
      z += influence.y * at(palette, bone * 3 + 2);
    }
    vec4 homogeneous = vec4(point, 1.0);
    point = vec3(dot(x, homogeneous), dot(y, homogeneous), dot(z, homogeneous));
    if (turnNormals) {
      turned = vec3(dot(cross(y.xyz, z.xyz), normal), dot(cross(z.xyz, x.xyz), normal), dot(cross(x.xyz, y.xyz), normal));
    }
  }
  vHidden = 0.0;
  // Also while a brush sends positions: colours are of the rig's bones.
  for (int k = 0; k < influenceCount; k++) {
    vec2 influence = at(influences, source * influenceCount + k).xy;
    int bone = int(influence.x);
    vec4 colour = at(boneColours, bone);
    blend += max(0.0, influence.y) * colour.rgb;
    vHidden += influence.y * (1.0 - colour.a);
    if (bone == chosen) weight += influence.y;
  }
  vHeat = 0.0;
  vUv = uv0;
  vTint = tint;
  vColour = vec3(${PLAIN.join(", ")});
  if (colouring == ${Colouring.difference}) vHeat = distance(point, compared) / heatTop;
  if (colouring == ${Colouring.bones}) vColour = blend;
  if (colouring == ${Colouring.weights} || colouring == ${Colouring.chosen}) vHeat = weight;
  if (colouring == ${Colouring.marks}) {
    vColour = mark > 0.5 ? at(boneColours, int(mark + 0.5) - 1).rgb : vec3(0.5, 0.51, 0.53);
  }
  vec4 seen = modelViewMatrix * vec4(point, 1.0);
  vNormal = normalMatrix * turned;
  vToEye = -seen.xyz;
  gl_Position = projectionMatrix * seen;
#ifdef PROBE
  vPoint = point;
  gl_Position = vec4((vec2(gl_VertexID % PROBE, gl_VertexID / PROBE) + 0.5) / float(PROBE) * 2.0 - 1.0, 0.0, 1.0);
  gl_PointSize = 1.0;
#endif
}
`;

export const FRAGMENT = /* glsl */ `
precision highp float;
uniform int colouring;
uniform bool xray;
uniform bool painted;
uniform bool hasImage;
uniform float cutoff;
uniform sampler2D image;
uniform vec3 heat[${HEAT.length}];
in vec2 vUv;
in vec4 vTint;
in vec3 vNormal;
in vec3 vToEye;
in vec3 vColour;
in float vHeat;
in float vHidden;
layout(location = 0) out vec4 colour;

vec3 heatOf(float value) {
  float place = clamp(value, 0.0, 1.0) * float(${HEAT.length - 1});
  int step = min(int(place), ${HEAT.length - 2});
  return mix(heat[step], heat[step + 1], place - float(step));
}

vec3 linear(vec3 shown) {
  return mix(shown / 12.92, pow((shown + 0.055) / 1.055, vec3(2.4)), step(0.04045, shown));
}

vec3 shown(vec3 linear) {
  return mix(12.92 * linear, 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, linear));
}

/** The material's colour, which is linear, times that of its image. */
vec3 paint() {
  vec4 colour = vTint;
  if (hasImage) {
    vec4 texel = texture(image, vUv);
    colour *= vec4(linear(texel.rgb), texel.a);
  }
  if (colour.a < cutoff) discard;
  return shown(clamp(colour.rgb, 0.0, 1.0));
}

void main() {
  if (vHidden > 0.5) discard;
  vec3 eye = normalize(vToEye);
  vec3 normal = normalize(vNormal);
  // By the triangle, not by its bent normal: those of an outline look away a little, and would be lit from the other side.
  if (!gl_FrontFacing) normal = -normal;
  bool measured = colouring == ${Colouring.difference} || colouring == ${Colouring.weights};
  bool own = colouring == ${Colouring.plain} || colouring == ${Colouring.chosen};
  vec3 base = measured ? heatOf(vHeat) : own && painted ? paint() : vColour;
  if (colouring == ${Colouring.chosen}) base = mix(base, vec3(0.96, 0.62, 0.32), 0.75 * clamp(vHeat, 0.0, 1.0));
  float key = max(0.0, dot(normal, normalize(vec3(0.45, 0.75, 0.55))));
  float fill = max(0.0, dot(normal, normalize(vec3(-0.8, 0.1, 0.45))));
  float rim = pow(1.0 - max(0.0, dot(normal, eye)), 3.0);
  vec3 lit = measured
    ? base * (0.72 + 0.28 * key + 0.08 * fill)
    : base * (0.24 + 0.62 * key + 0.24 * fill) + vec3(0.10, 0.11, 0.13) * rim;
  if (!measured) {
    vec3 half_way = normalize(normalize(vec3(0.45, 0.75, 0.55)) + eye);
    lit += 0.06 * pow(max(0.0, dot(normal, half_way)), 28.0);
  }
  colour = vec4(lit, xray ? mix(0.30, 0.85, rim) : 1.0);
}
`;

/** Lines of the wireframe: one colour, drawn over the surface. */
export const LINE_FRAGMENT = /* glsl */ `
precision highp float;
in float vHidden;
layout(location = 0) out vec4 colour;
void main() { if (vHidden > 0.5) discard; colour = vec4(0.04, 0.05, 0.06, 0.30); }
`;

/** With PROBE, the width of a square picture, every vertex is one pixel whose colour is its place. */
export const PROBE_FRAGMENT = /* glsl */ `
precision highp float;
in vec3 vPoint;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(vPoint, 1.0); }
`;
