// SVG.
#include "report/svg.h"
#include <fmt/format.h>

namespace nw {

std::string escapedXml(const std::string &text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126 ? '?' : c;
    }
  return out;
}

SvgDrawing::SvgDrawing(int width, int height) : width(width), height(height) {
  rectangle(0, 0, width, height, "white");
}

void SvgDrawing::line(double x1, double y1, double x2, double y2, const std::string &color,
                      double thickness) {
  body += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                      "stroke-width=\"{:g}\"/>\n",
                      x1, y1, x2, y2, color, thickness);
}

void SvgDrawing::polyline(const std::vector<std::pair<double, double>> &points,
                          const std::string &color, double thickness) {
  std::string list;
  for (auto [x, y] : points)
    list += fmt::format("{}{:.1f},{:.1f}", list.empty() ? "" : " ", x, y);
  body +=
      fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"/>\n",
                  list, color, thickness);
}

void SvgDrawing::circle(double x, double y, double radius, const std::string &color) {
  body += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"/>\n", x, y,
                      radius, color);
}

void SvgDrawing::rectangle(double x, double y, double w, double h, const std::string &color) {
  body += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y, w,
      h, color);
}

void SvgDrawing::text(double x, double y, const std::string &words, Anchor anchor, int size) {
  const char *anchors[] = {"start", "middle", "end"};
  body +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n",
                  x, y, anchors[int(anchor)], size, escapedXml(words));
}

void SvgDrawing::uprightText(double x, double y, const std::string &words, int size) {
  body += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" "
                      "text-anchor=\"middle\" font-size=\"{}\">{}</text>\n",
                      x, y, size, escapedXml(words));
}

std::string SvgDrawing::svg() const {
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                     "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\">\n{2}</svg>\n",
                     width, height, body);
}

} // namespace nw
